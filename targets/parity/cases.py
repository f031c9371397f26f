"""Inputs, and what the original model answers to them: one safetensors file a case."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field, ValidationError
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from registry.errors import IntegrityError
from registry.signature import Frozen
from targets.target import Arrays

INDEX = "cases.json"


@dataclass(frozen=True)
class Case:
    """One batch of inputs.

    Attributes:
        name: Says what it is: 'bags: the first one empty'.
        outputs: None where the model refuses the inputs.
        refused: The model's words when it refused, None where it answered.
        outside: The inputs hold an id that the job says does not come.
    """

    name: str
    kind: Literal["recorded", "generated"]
    inputs: Arrays
    outputs: Arrays | None = None
    refused: str | None = None
    outside: bool = False


class Entry(Frozen):
    """A case in the index; `file` lies beside it."""

    name: str
    kind: Literal["recorded", "generated"]
    file: str = Field(pattern=r"^[0-9]{6,9}\.safetensors$")
    outside: bool = False


class Index(Frozen):
    """What `cases.json` holds."""

    cases: tuple[Entry, ...]


def write_cases(cases: Iterable[Case], folder: Path) -> Index:
    """Write each case as it comes, and the index last."""
    entries = []
    for number, case in enumerate(cases):
        file = f"{number:06}.safetensors"
        entry = Entry(name=case.name, kind=case.kind, file=file, outside=case.outside)
        refused = None if case.refused is None else {"refused": case.refused}
        save_file(_tensors(case), folder / entry.file, metadata=refused)
        entries.append(entry)
    index = Index(cases=tuple(entries))
    (folder / INDEX).write_text(index.model_dump_json(indent=1))
    return index


def read_index(folder: Path) -> Index:
    """Read the index of a folder of cases.

    Raises:
        IntegrityError: It is not there, or not an index.
    """
    file = folder / INDEX
    try:
        return Index.model_validate_json(file.read_bytes())
    except (OSError, ValidationError) as error:
        raise IntegrityError(f"{file}: not an index of cases: {error}") from error


def read_cases(folder: Path) -> Iterator[Case]:
    """Read the cases of a folder one after another, in order."""
    for entry in read_index(folder).cases:
        yield read_case(folder, entry)


def read_case(folder: Path, entry: Entry) -> Case:
    """Read one case.

    Raises:
        IntegrityError: The file is not there, or not what `write_cases` writes.
    """
    file = folder / entry.file
    try:
        with safe_open(file, framework="numpy") as tensors:
            arrays = {name: tensors.get_tensor(name) for name in tensors.keys()}  # noqa: SIM118 -- it cannot be iterated
            refused = (tensors.metadata() or {}).get("refused")
    except (OSError, SafetensorError) as error:
        raise IntegrityError(f"{file}: not a case: {error}") from error
    outputs = _below("output/", arrays)
    if bool(outputs) == (refused is not None):
        raise IntegrityError(f"{file}: a case is either answered or refused, this one is not")
    return Case(
        name=entry.name,
        kind=entry.kind,
        inputs=_below("input/", arrays),
        outputs=outputs if refused is None else None,
        refused=refused,
        outside=entry.outside,
    )


def _tensors(case: Case) -> dict[str, np.ndarray]:
    named = {f"input/{name}": array for name, array in case.inputs.items()}
    named |= {f"output/{name}": array for name, array in (case.outputs or {}).items()}
    return {name: np.asarray(array, order="C") for name, array in named.items()}


def _below(prefix: str, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }
