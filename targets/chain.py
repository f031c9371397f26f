"""The parts of a build, loaded: they run in order, and find what they take by name."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from registry.composition import PREPROCESS
from registry.errors import IntegrityError
from registry.manifest import Build, BuiltPart
from registry.signature import Precision, Tensor, same_but_unnamed
from targets import find_target
from targets.host.cpu import Host, host, thread_plan
from targets.target import Arrays, Runner


@dataclass(frozen=True)
class Link:
    """One part and the names of what it takes."""

    name: str
    runner: Runner
    takes: tuple[str, ...]

    def run(self, values: Arrays) -> dict[str, np.ndarray]:
        """Answer from values of which it takes some."""
        return self.runner.run({name: values[name] for name in self.takes})


class Chain:
    """The parts of a build. Safe to call from several threads.

    Attributes:
        ahead: The parts that run before anything is looked up: the part `preprocess`.
        links: The others.
        takes: Names of what no part gives: users' inputs and vectors.
        gives: Names of what the parts answer, all together.
    """

    def __init__(self, links: tuple[Link, ...]) -> None:
        self.ahead = tuple(link for link in links if link.name == PREPROCESS)
        self.links = tuple(link for link in links if link.name != PREPROCESS)
        self.takes: set[str] = set()
        self.gives: set[str] = set()
        for link in links:
            self.takes |= set(link.takes) - self.gives
            self.gives |= {tensor.name for tensor in link.runner.signature.outputs}

    def prepare(self, inputs: Arrays) -> Arrays:
        """Return users' inputs, and what is made of them before anything is looked up."""
        for link in self.ahead:
            inputs = {**inputs, **link.run(inputs)}
        return inputs

    def run(self, values: dict[str, np.ndarray]) -> Mapping[str, np.ndarray]:
        """Answer one batch, once it is prepared and looked up.

        Args:
            values: All that may be taken, by name; what the parts answer is added to it.
        """
        for link in self.links:
            values |= link.run(values)
        return values

    def in_force(self) -> dict[str, str]:
        """Read back what is done; where parts differ in it, each is named."""
        told = {link.name: link.runner.in_force() for link in (*self.ahead, *self.links)}
        keys = dict.fromkeys(key for one in told.values() for key in one)
        return {key: _agreed({name: one.get(key) for name, one in told.items()}) for key in keys}


def load_chain(folder: Path, build: Build, precision: Precision | None, threads: int) -> Chain:
    """Load the parts of a build for this host.

    Args:
        folder: The version's folder.
        precision: What all parts compute in; as shipped if not given.
        threads: Intra-op threads of each part; 0 takes its contract's, or the host's.

    Raises:
        ContractError: A runtime cannot load its part.
        IntegrityError: A file is not what the manifest says.
    """
    here = host()
    return Chain(tuple(_load(folder, part, precision, threads, here) for part in build.parts))


def _load(
    folder: Path, part: BuiltPart, precision: Precision | None, threads: int, here: Host
) -> Link:
    plan = thread_plan(threads or part.contract.threads, here)
    place = folder / part.artifact.folder
    runner = find_target(part.runtime).load(place, precision or part.precision, plan)
    if not same_but_unnamed(runner.signature, part.artifact.signature):
        raise IntegrityError(
            f"{place}: the files have the signature {runner.signature}, the manifest says "
            f"{part.artifact.signature}"
        )
    return Link(part.name, runner, _names(runner.signature.inputs))


def missing_from(chain: Chain, given: Collection[str], wanted: Collection[str]) -> set[str]:
    """Return the names that the parts take and nothing gives, or that they do not answer."""
    return (chain.takes - set(given)) | (set(wanted) - chain.gives)


def _names(tensors: tuple[Tensor, ...]) -> tuple[str, ...]:
    return tuple(tensor.name for tensor in tensors)


def _agreed(told: Mapping[str, str | None]) -> str:
    said = set(told.values())
    if len(said) == 1:
        return str(said.pop())
    return ", ".join(f"{name}: {value}" for name, value in told.items() if value is not None)
