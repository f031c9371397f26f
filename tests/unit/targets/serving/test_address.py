"""Where a server of a version listens, and what of it is refused."""

import pytest

from registry import Catalog
from registry.errors import ServeError
from registry.store import open_store
from targets.serving.server import ServeOptions, serve


@pytest.mark.parametrize("host", ["a\0b", "ü" * 70, ".."])
def test_an_address_that_cannot_be_had_is_said(tmp_path, host):
    catalog = Catalog(open_store(str(tmp_path / "store")))
    options = ServeOptions("ads", cache=tmp_path, host=host, port=0)
    with pytest.raises(ServeError, match="cannot be had"):
        serve(catalog, options, print, print)
