"""Versions that are taken over into another store."""

import json

import pytest

from registry import Catalog
from registry.errors import IntegrityError, StoreError
from registry.layout import blob_key
from registry.store import open_store
from tests.drafts import write_draft
from tests.places import Place


@pytest.mark.parametrize("place", ["folder", "s3 over https"], indirect=True)
def test_a_copy_is_the_same_version_under_the_next_number_there(place: Place, tmp_path):
    here, there = Catalog(open_store(str(tmp_path / "here"))), Catalog(place.open())
    versions = []
    for answer in (b"1", b"2"):
        draft = write_draft(tmp_path / "draft", answer=answer)
        versions.append(here.publish(draft, tmp_path / "draft"))
    copied = there.copy(versions[1], here)
    assert (copied.number, copied.fingerprint) == (1, versions[1].fingerprint)
    assert copied.files == versions[1].files
    there.verify(copied)
    assert there.copy(versions[1], here) == copied
    assert there.copy(versions[0], here).number == 2
    back = here.copy(copied, there)
    assert back.number == 2, "it is there already"


def test_only_blobs_that_are_missing_are_read(ads_catalog, tmp_path):
    first, second = (ads_catalog.version("ads", number) for number in (1, 2))
    there = Catalog(open_store(str(tmp_path / "there")))
    there.copy(first, ads_catalog)
    shared = set(first.files.values()) & set(second.files.values())
    for file in shared:
        (tmp_path / ".pipeline/store" / blob_key(file.digest)).unlink()
    there.verify(there.copy(second, ads_catalog))


def test_a_damaged_blob_is_not_copied(ads_catalog, tmp_path):
    version = ads_catalog.version("ads", 1)
    path = tmp_path / ".pipeline/store" / blob_key(version.files["job.yaml"].digest)
    path.chmod(0o644)
    path.write_bytes(b"schema: 2\n")
    there = Catalog(open_store(str(tmp_path / "there")))
    with pytest.raises(IntegrityError, match=r"job\.yaml: blob .* is corrupt"):
        there.copy(version, ads_catalog)
    assert there.models() == ()


def test_the_command_copies(ads_catalog, registry_command):
    code, out, _ = registry_command("cp", "ads@candidate", "--to-store", "other")
    assert (code, out.split(" in ")[0]) == (0, "ads@1 is ads@1")
    told = json.loads(registry_command("cp", "ads", "--to-store", "other", "--json")[1])
    assert (told["version"], told["store"].endswith("/other")) == (2, True)
    code, _, err = registry_command("cp", "ads", "--to-store", ".pipeline/store")
    assert (code, "Name another" in err) == (StoreError.exit_code, True)
