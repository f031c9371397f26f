"""Processes that publish versions of one model at once, each its own.

    python -m tests.crowd URL ENDPOINT FOLDER PUBLISHERS TIMES

All begin at the same moment. Afterwards the numbers that they were given are without gaps, none was
given twice, and each version holds what its publisher wrote, whole. A fault ends the program.
Prints how many versions there are.
"""

import os
import sys
from pathlib import Path

from registry import Catalog
from registry.store import open_store
from tests.drafts import write_draft
from tests.killing import MODEL, ended, in_child


def publish(catalog: Catalog, folder: Path, publisher: int, times: int) -> None:
    """Publish some versions, and write down the number of each."""
    for turn in range(times):
        draft = write_draft(folder, answer=_answer(publisher, turn))
        number = catalog.publish(draft, folder).number
        (folder.parent / f"{number}-{publisher}-{turn}").touch()


def check(catalog: Catalog, folder: Path) -> int:
    """Hold what there is against what the publishers were told, and return how many there are."""
    told = [tuple(map(int, path.name.split("-"))) for path in folder.glob("*-*-*")]
    numbers = sorted(number for number, _, _ in told)
    assert numbers == list(range(1, len(told) + 1)), f"told: {numbers}"
    assert catalog.versions(MODEL) == tuple(numbers)
    for number, publisher, turn in told:
        pulled = catalog.pull(catalog.version(MODEL, number), folder / "pulled")
        assert (pulled / "builds/cpu/model.bin").read_bytes() == _answer(publisher, turn)
    return len(told)


def _answer(publisher: int, turn: int) -> bytes:
    return b"publisher %d, turn %d" % (publisher, turn)


def main(url: str, endpoint: str, place: str, publishers: str, times: str) -> None:
    folder = Path(place)

    def catalog() -> Catalog:
        return Catalog(open_store(url, endpoint=endpoint or None))

    gate, signal = os.pipe()

    def work(publisher: int) -> None:
        os.close(signal)
        opened = catalog()
        os.read(gate, 1)
        publish(opened, folder / str(publisher), publisher, int(times))

    pids = [in_child(lambda each=each: work(each)) for each in range(int(publishers))]
    os.close(signal)
    for pid in pids:
        ended(pid)
    count = check(catalog(), folder)
    assert count == int(publishers) * int(times)
    print("versions", count, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
