"""Processes that work on a store and are killed: at each step in turn, or at any moment.

    python -m tests.killing URL ENDPOINT FOLDER EVERY KILLS

Kills each action at every EVERYth of its steps, and prints a line an action: its name and how many
steps it has. Then it kills KILLS actions at random moments, and prints "moments". Last it prints
how many processes were killed that had not ended by then. After each kill all that can be seen in
the store is checked; a fault ends the program. What is published shares shards, and rows of them,
with what was published before. EVERY of 1 takes minutes.
"""

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from itertools import count
from pathlib import Path

from registry import Catalog
from registry.cleaning import announce
from registry.progress import silent
from registry.store import Store, open_store
from tests.table_drafts import SHARD_ROWS, change_rows, some_rows, write_table_draft

MODEL, CHANNEL = "ads", "production"

ROWS = some_rows(2 * SHARD_ROWS)

Action = Callable[[Catalog, Path, bytes], object]


class Mortal:
    """A store whose process is killed just before, or just after, one of the calls to it."""

    def __init__(self, store: Store, at: int) -> None:
        self._store, self._left, self.url = store, at, store.url

    def __getattr__(self, name: str) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            self._die()
            answer = getattr(self._store, name)(*arguments)
            self._die()
            return answer

        return call

    def _die(self) -> None:
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self._left -= 1


def push(catalog: Catalog, folder: Path, answer: bytes) -> None:
    rows = change_rows(ROWS, 0.05, seed=int(answer))
    catalog.publish(write_table_draft(folder / "draft", rows), folder / "draft")


def pull(catalog: Catalog, folder: Path, answer: bytes) -> None:
    catalog.pull(catalog.resolve(MODEL), folder / f"pulled-{answer.decode()[:20]}")


def move(catalog: Catalog, folder: Path, answer: bytes) -> None:
    at = catalog.pointers(MODEL).get(CHANNEL)
    others = [number for number in catalog.versions(MODEL) if number != at]
    catalog.move(MODEL, CHANNEL, others[-1], who="a test", why="it is killed")


def sweep(catalog: Catalog, folder: Path, answer: bytes) -> None:
    sweeper = catalog.sweeper(timedelta(0))
    sweeper.sweep(sweeper.find(), silent, 0.1)


def drop(catalog: Catalog, folder: Path, answer: bytes) -> None:
    """Publish a version, and remove all older ones but two: there is garbage then."""
    push(catalog, folder, answer)
    held = set(catalog.pointers(MODEL).values())
    for number in catalog.versions(MODEL)[:-2]:
        if number not in held:
            catalog.remove(MODEL, number, who="a test", why="it is killed")


#: Of those that are killed at each step.
ACTIONS: dict[str, Action] = {"push": push, "move": move, "pull": pull, "sweep": sweep}


def check(catalog: Catalog, folder: Path, answer: bytes) -> None:
    """Verify all versions that can be seen, and the history of the channel."""
    for number in catalog.versions(MODEL)[-4:]:
        catalog.verify(catalog.version(MODEL, number))
    moves = catalog.history(MODEL, CHANNEL)
    assert [one.number for one in moves] == list(range(1, len(moves) + 1))
    if moves:
        assert [one.previous for one in moves] == [None, *(one.version for one in moves[:-1])]
        catalog.verify(catalog.resolve(f"{MODEL}@{CHANNEL}"))


def in_child(work: Callable[[], object]) -> int:
    """Do some work in a process of its own, and return its id."""
    pid = os.fork()
    if pid:
        return pid
    try:
        work()
    except BaseException:  # noqa: BLE001  told, and the process ends
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    os._exit(0)


def ended(pid: int) -> bool:
    """Wait; say whether it ended by itself, and end too where it failed."""
    _, status = os.waitpid(pid, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise SystemExit(1)
    return os.WIFEXITED(status)


def main(url: str, endpoint: str, place: str, every: str, kills: str) -> None:
    announce.SLACK = 0.0
    folder, chance, answers, killed = Path(place), random.Random(7), count(), 0

    def run(action: Action, at: int | None = None) -> int:
        answer = b"%d" % next(answers)

        def work() -> None:
            store = open_store(url, endpoint=endpoint or None)
            catalog = Catalog(store if at is None else Mortal(store, at))
            action(catalog, folder, answer)

        return in_child(work)

    for _ in range(2):
        ended(run(push))
    for name, action in ACTIONS.items():
        for step in count(step=int(every)):
            if action is sweep:
                ended(run(drop))
            is_done = ended(run(action, step))
            ended(run(check))
            if is_done:
                print(name, step, flush=True)
                break
            killed += 1
    for _ in range(int(kills)):
        pid = run(chance.choice([push, move, pull, drop, sweep]))
        time.sleep(chance.uniform(0, 0.15 if endpoint else 0.05))
        os.kill(pid, signal.SIGKILL)
        killed += not ended(pid)
        ended(run(check))
    ended(run(push))
    print("moments", kills, flush=True)
    print("killed", killed, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
