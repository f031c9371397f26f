"""Where the server listens, and what of it is refused."""

import pytest

from registry import Catalog
from registry.errors import ServeError
from registry.store import open_store
from registry.web.room import Room
from registry.web.server import serve


@pytest.mark.parametrize("host", ["a\0b", "ü" * 70, ".."])
def test_an_address_that_cannot_be_had_is_said(tmp_path, host):
    room = Room(Catalog(open_store(str(tmp_path / "store"))))
    with pytest.raises(ServeError, match=r"cannot be had.*Name an address of this host"):
        serve(room, host, 0, print)
