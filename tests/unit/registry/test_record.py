import json
from datetime import UTC, datetime, timedelta, timezone

import pytest

from registry.errors import IntegrityError
from registry.manifest import Move, Version
from registry.record import read_move, read_version, write_record

KEY = "models/ads/versions/000001.json"


def read(data: bytes) -> Version:
    return read_version(data, KEY, "ads", 1)


def changed(version: Version, **fields: object) -> bytes:
    return json.dumps(json.loads(write_record(version)) | fields).encode()


def test_a_version_survives_the_way_through_json(version):
    assert read(write_record(version)) == version


@pytest.mark.parametrize("builds", ["x", ["x"], [{"dense": {}}], [{"dense": 1, "parts": []}]])
def test_refuses_builds_that_are_none(version, builds):
    with pytest.raises(IntegrityError, match="cannot be believed: builds"):
        read(changed(version, builds=builds))


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("../../etc/cron.d/x", "leads out of its folder"),
        ("/etc/passwd", "is absolute"),
        ("builds\\..\\x", "has a backslash"),
        ("builds/\x1b[31m", "cannot be shown"),
        ("builds//x", "empty"),
        ("job.yaml/x", "'job.yaml' is a file and a folder"),
        ("a" * 5000, "is too long"),
    ],
)
def test_refuses_a_file_that_could_lie_outside(version, name, fault):
    files = json.loads(write_record(version))["files"]
    files[name] = {"digest": "0" * 64, "size": 1}
    with pytest.raises(IntegrityError, match=f"{KEY} cannot be believed: .*{fault}"):
        read(changed(version, files=files))


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"number": 2}, "it is of ads@2"),
        ({"model": "other"}, "it is of other@1"),
        ({"number": "1"}, "number: .* valid integer"),
        ({"schema": 2}, "schema: .* 1"),
        ({"surprise": 1}, "surprise: Extra inputs are not permitted"),
        ({"builds": []}, "builds: .* at least 1 item"),
        ({"files": {}}, "'builds/cpu/model.xml' is not among its files"),
        ({"files": {"x": {"digest": "../../x", "size": 1}}}, "files.x.digest: .* pattern"),
        ({"files": {"x": {"digest": "0" * 64, "size": -1}}}, "files.x.size: .* greater"),
        ({"recorded": "../../secret"}, "'../../secret' is not among its files"),
    ],
)
def test_refuses_what_does_not_hold_together(version, fields, fault):
    with pytest.raises(IntegrityError, match=fault):
        read(changed(version, **fields))


@pytest.mark.parametrize(
    "recipe",
    [
        {"base": "old", "steps": []},
        {"base": "old", "steps": ["other"]},
        {"base": "small", "steps": ["whole"]},
        {"base": "old", "steps": ["small", "whole"]},
    ],
    ids=["no steps", "leads elsewhere", "another size", "another size between"],
)
def test_refuses_recipes_that_do_not_lead_to_their_files(version, recipe):
    name = "tables/items/000000.safetensors"
    whole = version.files[name].model_dump()
    files = {
        "whole": whole,
        "old": whole | {"digest": "1" * 64},
        "other": whole | {"digest": "2" * 64},
        "small": {"digest": "3" * 64, "size": 1},
    }
    steps = [{"rows": files["small"], "gives": files[gives]} for gives in recipe["steps"]]
    recipes = {name: {"base": files[recipe["base"]], "steps": steps}}
    with pytest.raises(IntegrityError, match=f"its recipe of '{name}' does not lead there"):
        read(changed(version, recipes=recipes))


@pytest.mark.parametrize(
    "data", [b"", b"{", b"null", b"[1]", b"\xff\xfe", b"[" * 100_000, b'{"a":' * 100_000]
)
def test_refuses_what_is_no_record_at_all(data):
    with pytest.raises(IntegrityError, match=f"{KEY} cannot be believed"):
        read(data)


def test_lists_a_few_faults_of_many(version):
    files = {f"/{n}": {"digest": "0" * 64, "size": 1} for n in range(1000)}
    with pytest.raises(IntegrityError, match="and 1000 more") as caught:
        read(changed(version, files=files))
    assert len(str(caught.value)) < 1000


def test_a_move_belongs_to_its_channel_and_place():
    move = Move(
        number=3,
        channel="production",
        version=1,
        previous=None,
        who="ann",
        why="first",
        when=datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=2))).astimezone(UTC),
    )
    data = write_record(move)
    assert read_move(data, "k", "production", 3) == move
    with pytest.raises(IntegrityError, match="its number is 3, not 4"):
        read_move(data, "k", "production", 4)
    with pytest.raises(IntegrityError, match="its channel is 'production', not 'candidate'"):
        read_move(data, "k", "candidate", 3)


def test_refuses_to_write_what_json_cannot_hold(version):
    broken = version.model_copy(update={"created": datetime(2026, 1, 1, tzinfo=UTC), "number": 0})
    with pytest.raises(IntegrityError, match=r"number: .* greater"):
        write_record(broken)


def test_a_record_that_was_cut_short_is_said_to_be_no_json_and_what_to_do(version):
    with pytest.raises(IntegrityError, match=rf"{KEY} cannot be believed: Invalid JSON.*copy of"):
        read(write_record(version)[:100])
