"""Which allocator a process has, and where one would be found."""

import pytest

from registry.errors import ContractError
from targets.host.allocator import allocator_in_force, library_of


@pytest.mark.parametrize(
    ("mapped", "allocator"),
    [
        ("7f00-7f01 r-xp 0 08:01 1 /usr/lib/x86_64-linux-gnu/libjemalloc.so.2", "jemalloc"),
        ("7f00-7f01 r-xp 0 08:01 1 /opt/lib/libtcmalloc_minimal.so.4.5.10", "tcmalloc"),
        ("7f00-7f01 r-xp 0 08:01 1 /usr/lib/x86_64-linux-gnu/libc.so.6", "default"),
    ],
)
def test_it_is_read_from_what_is_mapped(mapped, allocator, tmp_path):
    (tmp_path / "maps").write_text(f"{mapped}\n")
    assert allocator_in_force(tmp_path / "maps") == allocator


def test_where_nothing_tells_it_is_the_c_librarys(tmp_path):
    assert allocator_in_force(tmp_path / "nowhere") == "default"


def test_it_is_found_where_the_linker_is_told_to_look(tmp_path, monkeypatch):
    (tmp_path / "libjemalloc.so.2").touch()
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/nowhere:{tmp_path}")
    assert library_of("jemalloc") == tmp_path / "libjemalloc.so.2"


def test_one_that_is_not_there_is_named_with_its_package(monkeypatch):
    monkeypatch.setattr("targets.host.allocator._FOLDERS", ())
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    with pytest.raises(ContractError, match=r"tcmalloc.*apt-get install libtcmalloc-minimal4"):
        library_of("tcmalloc")
