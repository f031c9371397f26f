"""A process that reads without a pause while another one publishes and moves a channel.

    python -m tests.polling URL ENDPOINT FOLDER PUBLISHES

Whatever is seen must be whole: numbers without gaps that never go back, commit objects that can be
believed, every blob as it was published, a channel that never goes back and never points to
nothing. A fault ends the program. Prints how many looks were taken, and how many newest versions
were seen. 10,000 publishes to a folder take minutes.
"""

import os
import sys
from itertools import count
from pathlib import Path

from registry import Catalog
from registry.store import open_store
from tests.drafts import write_draft
from tests.killing import CHANNEL, MODEL, in_child

#: Looks after which the whole store is looked at once.
_ALL = 100


def publish(catalog: Catalog, folder: Path, publishes: int) -> None:
    """Publish versions that differ, and point the channel at each."""
    for number in range(1, publishes + 1):
        draft = write_draft(folder, answer=b"%d" % number)
        assert catalog.publish(draft, folder).number == number
        catalog.move(MODEL, CHANNEL, number, who="a test", why="it is read")


class Reader:
    """Looks at a model, and holds what it sees against what it saw before."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self.newest, self.pointed, self.seen = 0, 0, set[int]()

    def look(self) -> None:
        """Read the newest version and the channel's."""
        numbers = self._catalog.versions(MODEL)
        assert numbers == tuple(range(1, len(numbers) + 1)), f"gaps: {numbers}"
        assert len(numbers) >= self.newest, f"{len(numbers)} after {self.newest}"
        self.newest = len(numbers)
        if not numbers:
            return
        self.seen.add(self.newest)
        self._verify(self.newest)
        if move := self._catalog.channel(MODEL, CHANNEL):
            assert move.version == move.number >= self.pointed, f"{move} after {self.pointed}"
            self.pointed = move.version
            self._verify(self.pointed)

    def look_at_all(self) -> None:
        """Look at all models as `registry ls` does."""
        found = self._catalog.overview()
        assert set(found.versions) <= {MODEL}
        assert len(found.versions.get(MODEL, ())) >= self.newest
        assert found.channels.get(MODEL, {}).get(CHANNEL, 0) >= self.pointed

    def _verify(self, number: int) -> None:
        version = self._catalog.version(MODEL, number)
        assert version.files["builds/cpu/model.bin"].size == len(str(number))
        self._catalog.verify(version)


def main(url: str, endpoint: str, place: str, publishes: str) -> None:
    def catalog() -> Catalog:
        return Catalog(open_store(url, endpoint=endpoint or None))

    pid = in_child(lambda: publish(catalog(), Path(place), int(publishes)))
    reader = Reader(catalog())
    for looks in count(1):
        has_ended, status = os.waitpid(pid, os.WNOHANG)
        reader.look()
        if looks % _ALL == 0 or has_ended:
            reader.look_at_all()
        if has_ended:
            break
    assert status == 0, "the publisher failed"
    assert reader.newest == reader.pointed == int(publishes)
    print("looks", looks, "seen", len(reader.seen), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
