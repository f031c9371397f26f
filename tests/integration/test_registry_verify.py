"""`pipeline registry verify` reads a version or the whole store, and names every fault."""

import json

import pytest

from registry.errors import IntegrityError, StoreError
from registry.layout import blob_key, channel_prefix, numbered, removed_prefix, tag_key


@pytest.fixture
def damage(ads_catalog, tmp_path):
    """Return what changes the blob of a file of version 2."""

    def change(name: str) -> str:
        key = blob_key(ads_catalog.version("ads", 2).files[name].digest)
        path = tmp_path / ".pipeline/store" / key
        path.chmod(0o644)
        path.write_bytes(b"something else")
        return key

    return change


def test_without_a_reference_the_whole_store_is_read(ads_catalog, registry_command):
    code, out, _ = registry_command("verify")
    assert code == 0
    assert "store: 2 versions of 1 model, 9 blobs, 9.8 KiB, all as published" in out
    told = json.loads(registry_command("verify", "--json")[1])
    assert (told["versions"], told["blobs"], told["intact"], told["faults"]) == (2, 9, True, [])


def test_every_fault_of_a_store_is_named_once(ads_catalog, registry_command, damage, tmp_path):
    shared, own = damage("ids/model.onnx"), damage("builds/cpu/model.bin")
    (file,) = (tmp_path / ".pipeline/store").rglob("versions/000001.json")
    file.chmod(0o644)
    file.write_bytes(b"{")
    code, _, err = registry_command("verify")
    assert code == IntegrityError.exit_code
    assert err.count(shared) == err.count(own) == 1
    assert "ads@1: " in err
    assert "3 faults, 3 of them in what models answer from" in err


def test_damaged_moves_tags_and_removals_are_faults(ads_catalog, registry_command):
    ads_catalog.tag("ads", "autumn", 1, who="ann", why="x")
    marks = {
        "ads@candidate": numbered(channel_prefix("ads", "candidate"), 3),
        "ads@spring": tag_key("ads", "spring"),
        "ads@9": numbered(removed_prefix("ads"), 9),
    }
    for key in marks.values():
        ads_catalog.store.create(key, b"[1,")
    code, _, err = registry_command("verify")
    assert code == IntegrityError.exit_code
    for use, key in marks.items():
        assert f"{use}: {key} cannot be believed" in err
    assert "3 faults" in err


def test_a_blob_that_versions_share_is_named_with_all_of_them(registry_command, damage):
    damage("tables/items/000000.safetensors")
    (fault,) = json.loads(registry_command("verify", "--json")[1])["faults"]
    name = "tables/items/000000.safetensors"
    assert fault["uses"] == [f"ads@1: {name}", f"ads@2: {name}"]
    assert fault["spares_model"] is False


@pytest.mark.parametrize("name", ["report/index.html", "job.yaml"])
@pytest.mark.parametrize("reference", [(), ("ads@2",)])
def test_a_damaged_report_is_a_fault_that_spares_the_model(
    registry_command, damage, name, reference
):
    damage(name)
    code, _, err = registry_command("verify", *reference)
    assert code == IntegrityError.exit_code
    assert "The files that the model answers from are whole" in err
    assert "1 fault, 0 of them in what models answer from" in err
    told = json.loads(registry_command("verify", *reference, "--json")[1])
    assert told["intact"] is False
    assert [fault["spares_model"] for fault in told["faults"]] == [True]


def test_a_version_that_was_removed_is_left_out(ads_catalog, registry_command, damage):
    damage("builds/cpu/model.bin")
    ads_catalog.remove("ads", 2, who="ann", why="it is bad")
    assert registry_command("verify")[0] == 0


def test_a_store_that_is_not_there_is_no_intact_one(registry_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PIPELINE_STORE", raising=False)
    assert registry_command("verify")[0] == StoreError.exit_code
