"""Versions and channels in every kind of store: what is published comes back, come who may."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from registry import Catalog
from registry.errors import IntegrityError, StoreError
from registry.layout import blob_key
from registry.manifest import Move, Version
from tests.drafts import write_draft
from tests.places import Place

#: The suite of all stores speaks http too.
pytestmark = pytest.mark.parametrize("place", ["folder", "s3 over https"], indirect=True)


def publish(catalog: Catalog, folder: Path, answer: bytes = b"weights") -> Version:
    return catalog.publish(write_draft(folder, answer=answer), folder)


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_version_comes_back_byte_for_byte(catalog, tmp_path):
    version = publish(catalog, tmp_path / "draft")
    assert (version.model, version.number) == ("ads", 1)
    assert catalog.models() == ("ads",)
    assert catalog.versions("ads") == (1,)
    assert catalog.version("ads", 1) == version
    assert catalog.pull(version, tmp_path / "pulled") == tmp_path / "pulled"
    assert files_in(tmp_path / "pulled") == files_in(tmp_path / "draft")
    catalog.verify(version)


def test_numbers_count_up_and_the_bare_name_is_the_newest(catalog, tmp_path):
    for answer in (b"1", b"2", b"3"):
        publish(catalog, tmp_path / "draft", answer)
    assert catalog.versions("ads") == (1, 2, 3)
    assert catalog.resolve("ads").number == 3
    assert catalog.resolve("ads@2").number == 2


def test_the_same_bytes_are_the_same_version(catalog, tmp_path):
    first = publish(catalog, tmp_path / "draft")
    (tmp_path / "draft" / "report" / "index.html").write_text("another report")
    assert publish(catalog, tmp_path / "draft") == first
    assert catalog.versions("ads") == (1,)


def test_going_back_to_older_bytes_is_a_new_version(catalog, tmp_path):
    for answer in (b"1", b"2", b"1"):
        publish(catalog, tmp_path / "draft", answer)
    assert catalog.versions("ads") == (1, 2, 3)


def test_publishing_again_brings_back_a_blob_that_was_removed(place: Place, tmp_path):
    catalog = Catalog(place.open())
    version = publish(catalog, tmp_path / "draft")
    place.overwrite(blob_key(version.files["builds/cpu/model.bin"].digest), None)
    with pytest.raises(IntegrityError, match=r"builds/cpu/model\.bin: .* is missing"):
        catalog.verify(version)
    assert publish(catalog, tmp_path / "draft") == version
    catalog.verify(version)


def test_sixteen_publishers_of_the_same_bytes_make_one_version(catalog, tmp_path):
    with ThreadPoolExecutor(16) as pool:
        made = list(pool.map(lambda n: publish(catalog, tmp_path / str(n)), range(16)))
    assert {version.number for version in made} == {1}
    assert catalog.versions("ads") == (1,)


def test_a_reader_never_sees_a_version_that_is_not_whole(place: Place, tmp_path):
    writer, reader = Catalog(place.open()), Catalog(place.open())
    done, seen = threading.Event(), set()

    def write() -> None:
        for answer in range(6):
            publish(writer, tmp_path / "draft", b"%d" % answer)
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    while not done.is_set() or seen != set(reader.versions("ads")):
        for number in set(reader.versions("ads")) - seen:
            reader.verify(reader.version("ads", number))
            seen.add(number)
        done.wait(0.01)
    thread.join()
    assert seen == {1, 2, 3, 4, 5, 6}


def test_a_channel_keeps_its_whole_history(catalog, tmp_path):
    for answer in (b"1", b"2"):
        publish(catalog, tmp_path / "draft", answer)
    assert catalog.channel("ads", "production") is None
    catalog.move("ads", "production", 1, who="ann", why="first")
    catalog.move("ads", "production", 2, who="bob", why="better")
    catalog.move("ads", "production", 1, who="eve", why="slower than thought")
    assert catalog.channels("ads") == ("production",)
    assert catalog.resolve("ads@production").number == 1
    moves = catalog.history("ads", "production")
    assert [(move.number, move.previous, move.version, move.who) for move in moves] == [
        (1, None, 1, "ann"),
        (2, 1, 2, "bob"),
        (3, 2, 1, "eve"),
    ]
    assert catalog.channel("ads", "production") == moves[-1]


def test_moving_a_channel_to_where_it_is_changes_nothing(catalog, tmp_path):
    publish(catalog, tmp_path / "draft")
    first = catalog.move("ads", "candidate", 1, who="ann", why="first")
    assert catalog.move("ads", "candidate", 1, who="bob", why="again") == first
    assert len(catalog.history("ads", "candidate")) == 1


def test_movers_at_once_lose_no_move_and_each_names_the_one_before(catalog, tmp_path):
    for answer in range(4):
        publish(catalog, tmp_path / "draft", b"%d" % answer)

    def move(n: int) -> Move:
        return catalog.move("ads", "canary", n % 4 + 1, who=f"{n}", why="a race")

    with ThreadPoolExecutor(6) as pool:
        told = list(pool.map(move, range(12)))
    moves = catalog.history("ads", "canary")
    assert set(told) == set(moves)
    assert [move.number for move in moves] == list(range(1, len(moves) + 1))
    assert [move.previous for move in moves] == [None, *(move.version for move in moves[:-1])]


def test_a_pull_goes_on_where_it_broke_off_and_mends_what_is_wrong(place: Place, tmp_path):
    catalog = Catalog(place.open())
    version = publish(catalog, tmp_path / "draft")
    folder = catalog.pull(version, tmp_path / "pulled")
    before = (folder / "ids/model.onnx").stat().st_ino
    (folder / "builds/cpu/model.bin").write_bytes(b"WEIGHTS")
    (folder / "job.yaml").unlink()
    catalog.pull(version, folder)
    assert files_in(folder) == files_in(tmp_path / "draft")
    assert (folder / "ids/model.onnx").stat().st_ino == before


def test_names_the_file_and_the_key_of_a_corrupt_blob(place: Place, tmp_path):
    catalog = Catalog(place.open())
    version = publish(catalog, tmp_path / "draft")
    key = blob_key(version.files["builds/cpu/model.bin"].digest)
    place.overwrite(key, b"WEIGHTS")
    for use in (catalog.verify, lambda version: catalog.pull(version, tmp_path / "pulled")):
        with pytest.raises(IntegrityError, match=rf"builds/cpu/model\.bin: blob {key} .* corrupt"):
            use(version)
    assert not (tmp_path / "pulled" / "builds/cpu/model.bin").exists()
    assert not list((tmp_path / "pulled").rglob("*partial*"))


def test_verify_names_every_corrupt_blob(place: Place, tmp_path):
    catalog = Catalog(place.open())
    version = publish(catalog, tmp_path / "draft")
    for name in ("job.yaml", "ids/model.onnx"):
        place.overwrite(blob_key(version.files[name].digest), b"other")
    with pytest.raises(IntegrityError, match=r"(?s)ids/model\.onnx: .*job\.yaml: "):
        catalog.verify(version)


@pytest.mark.parametrize(
    ("reference", "fault"),
    [
        ("adz", r"no model 'adz' .* Did you mean 'ads'\? There is: ads"),
        ("ads@9", "ads has no version 9 .* There is: 1"),
        ("ads@produktion", r"no channel or tag 'produktion' .* Did you mean 'production'\?"),
        ("nothing@production", "no model 'nothing'"),
        ("nothing@3", "no model 'nothing'"),
    ],
)
def test_says_what_there_is_in_place_of_what_is_not_there(catalog, tmp_path, reference, fault):
    publish(catalog, tmp_path / "draft")
    catalog.move("ads", "production", 1, who="ann", why="first")
    with pytest.raises(StoreError, match=fault):
        catalog.resolve(reference)


def test_a_channel_cannot_point_at_a_version_that_is_not_there(catalog, tmp_path):
    publish(catalog, tmp_path / "draft")
    with pytest.raises(StoreError, match="ads has no version 7"):
        catalog.move("ads", "production", 7, who="ann", why="a typing error")
    assert catalog.channels("ads") == ()


def test_a_tag_names_a_version_for_good(catalog, tmp_path):
    for answer in (b"1", b"2"):
        publish(catalog, tmp_path / "draft", answer)
    tag = catalog.tag("ads", "autumn", 1, who="ann", why="before the sale")
    assert catalog.resolve("ads@autumn").number == 1
    assert catalog.tag("ads", "autumn", 1, who="bob", why="again") == tag
    assert catalog.tags("ads") == (tag,)
    with pytest.raises(StoreError, match=r"ads@autumn is version 1 for good.*Take another name"):
        catalog.tag("ads", "autumn", 2, who="bob", why="a mistake")
    with pytest.raises(StoreError, match="ads@autumn is a tag, which does not move"):
        catalog.move("ads", "autumn", 2, who="bob", why="a mistake")
    catalog.move("ads", "canary", 2, who="bob", why="first")
    with pytest.raises(StoreError, match="ads@canary is a channel"):
        catalog.tag("ads", "canary", 1, who="bob", why="a mistake")


def test_a_removed_version_is_used_no_more_and_its_number_never_again(catalog, tmp_path):
    for answer in (b"1", b"2"):
        publish(catalog, tmp_path / "draft", answer)
    removal = catalog.remove("ads", 2, who="ann", why="it leaks")
    assert catalog.removal("ads", 2) == removal
    assert catalog.versions("ads") == (1,)
    assert catalog.resolve("ads").number == 1
    with pytest.raises(StoreError, match=r"ads@2 was removed by ann on .*: it leaks"):
        catalog.resolve("ads@2")
    with pytest.raises(StoreError, match="ads@2 was removed by ann"):
        catalog.move("ads", "production", 2, who="bob", why="a mistake")
    assert catalog.version("ads", 2).number == 2
    assert publish(catalog, tmp_path / "draft", b"2").number == 3
    assert catalog.remove("ads", 2, who="bob", why="again") == removal


def test_what_a_channel_or_a_tag_holds_is_not_removed(catalog, tmp_path):
    publish(catalog, tmp_path / "draft")
    catalog.move("ads", "production", 1, who="ann", why="first")
    catalog.tag("ads", "autumn", 1, who="ann", why="kept")
    with pytest.raises(StoreError, match="held by channel production and tag autumn"):
        catalog.remove("ads", 1, who="bob", why="a mistake")
    assert catalog.versions("ads") == (1,)


def test_progress_ends_at_the_whole(catalog, tmp_path):
    version = publish(catalog, tmp_path / "draft")
    total = sum(file.size for file in version.files.values())
    seen: list[tuple[float, float, str]] = []
    catalog.pull(version, tmp_path / "pulled", lambda *state: seen.append(state))
    assert seen[-1] == (total, total, "bytes")
    assert [done for done, _, _ in seen] == sorted(done for done, _, _ in seen)
