"""Where outputs and runs are kept."""

import errno
import os

import pytest

from pipeline.home import open_home, unwritable
from registry.errors import ResourceError


def test_a_home_that_is_not_there_is_made(tmp_path):
    assert open_home(tmp_path / "new" / "home").is_dir()


def test_a_file_in_its_place_is_named_with_what_to_do(tmp_path):
    (tmp_path / "home").touch()
    with pytest.raises(ResourceError, match=r"home: cannot .* A file lies .* set PIPELINE_HOME"):
        open_home(tmp_path / "home")


def test_links_in_a_circle_are_named(tmp_path):
    (tmp_path / "home").symlink_to("home")
    with pytest.raises(ResourceError, match=r"home: cannot .* set PIPELINE_HOME"):
        open_home(tmp_path / "home")


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.EACCES, "Give this user the right to it, or set PIPELINE_HOME to a folder that"),
        (errno.EROFS, "Mount it writable, or take another folder, or set PIPELINE_HOME"),
        (errno.ENOSPC, "Free some space, or set PIPELINE_HOME to a folder on a bigger disk"),
    ],
)
def test_the_remedy_is_that_of_the_fault(number, remedy, tmp_path):
    said = str(unwritable(tmp_path, OSError(number, os.strerror(number))))
    assert f"{tmp_path}: cannot be written" in said
    assert remedy in said
