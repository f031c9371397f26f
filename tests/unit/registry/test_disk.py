import errno
import os
from pathlib import Path

import pytest

from registry.disk import disk_faults
from registry.errors import ResourceError, StoreError


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_is_an_error_of_resources(code):
    with pytest.raises(ResourceError) as caught, disk_faults(Path("/a")):
        raise OSError(code, os.strerror(code), "/a/b")
    assert "/a/b: " in str(caught.value)
    assert "Free space on the disk of /a" in str(caught.value)


@pytest.mark.parametrize(
    ("code", "remedy"),
    [
        (errno.EACCES, "/a: Permission denied. Give this user the right to it"),
        (errno.EROFS, "/a: Read-only file system. Mount it writable"),
        (errno.EIO, "/a: Input/output error. Mend this"),
    ],
)
def test_other_faults_name_the_file_and_a_remedy(code, remedy):
    with pytest.raises(StoreError) as caught, disk_faults(Path("/a")):
        raise OSError(code, os.strerror(code))
    assert str(caught.value).startswith(remedy)
