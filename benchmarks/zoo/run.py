"""Take the models of a package through the product, some at a time; keep what became of each."""

import hashlib
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue

from pydantic import ValidationError

from benchmarks.zoo.jobs import slug
from benchmarks.zoo.outcome import Outcome
from benchmarks.zoo.package import Model, Package
from benchmarks.zoo.ward import Ward
from pipeline.caching.digest import digest_of_code
from pipeline.processes.setting import ROOT

ZOO = Path(__file__).parent


@dataclass(frozen=True)
class Wish:
    """How to run.

    Attributes:
        home: The folder that outcomes, logs and what failed are kept in.
        jobs: Models at a time.
        take: Earlier outcomes that are taken as they are: "none", "same" takes those of the same
            code, "held" also those that hold by other code, "all" whatever there is.
    """

    home: Path
    jobs: int = 2
    take: str = "same"


def run(package: Package, models: Sequence[Model], wish: Wish) -> list[Outcome]:
    """Return the outcomes, in the order of the models."""
    key = key_of(package)
    before = {model.name: _kept(package, model, wish) for model in models}
    known = {name: one for name, one in before.items() if one and _taken(one, key, wish.take)}
    left: SimpleQueue[Model] = SimpleQueue()
    for model in models:
        if model.name not in known:
            left.put(model)
    progress = Progress(package.name, left.qsize(), time.monotonic())

    def work() -> dict[str, Outcome]:
        done = {}
        with closing(Ward(package, wish.home)) as ward:
            while True:
                try:
                    model = left.get_nowait()
                except Empty:
                    return done
                done[model.name] = ward.outcome(model, key)
                progress.tell(done[model.name])

    with ThreadPoolExecutor(wish.jobs) as pool:
        workers = [pool.submit(work) for _ in range(min(wish.jobs, left.qsize()))]
        for worker in workers:
            known |= worker.result()
    return [known[model.name] for model in models]


@dataclass
class Progress:
    """Tell of each model that is done, how many are left and how long that will take."""

    package: str
    total: int
    start: float
    done: int = 0

    def tell(self, one: Outcome) -> None:
        self.done += 1
        each = (time.monotonic() - self.start) / self.done
        left = each * (self.total - self.done)
        said = (
            "holds"
            if one.holds
            else "; ".join(
                f"{fault.task}: {' '.join(fault.message.split())[:160]}" for fault in one.faults
            )
        )
        sys.stderr.write(
            f"{self.package} {self.done}/{self.total} {one.model}: {said} "
            f"({one.seconds:.0f} s; {each:.0f} s a model, {left / 60:.0f} min left)\n"
        )


def key_of(package: Package) -> str:
    """Return the digest of what decides outcomes: the product, the zoo, the package's pins."""
    own = [*ZOO.glob("*.py"), ZOO / "packages" / f"{package.name.replace('-', '_')}.py"]
    parts = [digest_of_code(ROOT).encode(), *(file.read_bytes() for file in sorted(own))]
    return hashlib.sha256(b"".join((*parts, package.pins.read_bytes()))).hexdigest()


def kept(package: Package, wish: Wish) -> list[Outcome]:
    """Return the outcomes that are there, of whatever code, in the order of the models."""
    found = (_kept(package, model, wish) for model in package.models)
    return [one for one in found if one]


def _kept(package: Package, model: Model, wish: Wish) -> Outcome | None:
    file = wish.home / package.name / slug(model.name) / "outcome.json"
    try:
        return Outcome.model_validate_json(file.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


def _taken(one: Outcome, key: str, take: str) -> bool:
    rules: Mapping[str, bool] = {
        "none": False,
        "same": one.key == key,
        "held": one.key == key or one.holds,
        "all": True,
    }
    return rules[take]
