import os

import pytest

from registry.contents import find_files
from registry.errors import IntegrityError
from tests.drafts import write_draft


def test_finds_what_the_draft_names_and_what_else_there_is(tmp_path):
    draft = write_draft(tmp_path)
    (tmp_path / "builds/cpu/notes.txt").write_text("more")
    (tmp_path / ".partial").mkdir()
    (tmp_path / ".partial/left").write_text("of a pull that was killed")
    assert set(find_files(tmp_path, draft)) == {
        "builds/cpu/model.bin",
        "builds/cpu/model.xml",
        "builds/cpu/notes.txt",
        "ids/model.onnx",
        "job.yaml",
        "recorded.safetensors",
        "report/index.html",
        "report/report.json",
        "tables/items/000000.safetensors",
    }


@pytest.mark.parametrize(
    "name",
    [
        "builds/cpu/model.xml",
        "ids/model.onnx",
        "tables/items/000000.safetensors",
        "recorded.safetensors",
        "report/index.html",
    ],
)
def test_refuses_a_folder_that_lacks_what_the_draft_names(tmp_path, name):
    draft = write_draft(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(IntegrityError, match=f"cannot be published: '{name}' is missing"):
        find_files(tmp_path, draft)


@pytest.mark.parametrize("target", ["/etc/passwd", "../../outside", "/etc"])
def test_refuses_a_link_out_of_the_folder(tmp_path, target):
    (tmp_path / "outside").write_text("secret")
    draft = write_draft(tmp_path / "draft")
    (tmp_path / "draft/builds/link").symlink_to(target)
    with pytest.raises(IntegrityError, match=r"builds/link links to .*, out of the folder"):
        find_files(tmp_path / "draft", draft)


def test_takes_a_link_to_a_file_of_the_folder_for_the_file(tmp_path):
    draft = write_draft(tmp_path)
    (tmp_path / "same.xml").symlink_to("builds/cpu/model.xml")
    assert find_files(tmp_path, draft)["same.xml"].read_bytes() == b"<net/>"


def test_refuses_what_is_neither_a_file_nor_a_folder(tmp_path):
    draft = write_draft(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(IntegrityError, match="pipe is neither a file nor a folder"):
        find_files(tmp_path, draft)


def test_refuses_a_link_to_a_folder_which_could_go_round_in_circles(tmp_path):
    draft = write_draft(tmp_path)
    (tmp_path / "builds/again").symlink_to("..")
    with pytest.raises(IntegrityError, match="again is neither a file nor a folder"):
        find_files(tmp_path, draft)


@pytest.mark.parametrize("name", ["a\\b", "a\nb", "a\x1bb"])
def test_refuses_a_name_that_could_not_be_pulled(tmp_path, name):
    draft = write_draft(tmp_path)
    (tmp_path / name).write_text("x")
    with pytest.raises(IntegrityError, match="cannot be published: "):
        find_files(tmp_path, draft)
