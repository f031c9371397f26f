"""Weights as they lie in files; nothing of them is read until it is used."""

import difflib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from converters.checkpoints import program_zip, rows_file, safetensors_file, torch_zip
from converters.checkpoints.stored import Stored, chunks, first_bad, mapped
from registry.composition import Origin, Remark
from registry.errors import SourceError

#: What data-parallel training puts before every key.
_BEFORE_ALL = "module."

#: What wrappers of torch put into keys, wherever a module was compiled, sharded or recomputed.
_WRAPPERS = ("_orig_mod.", "_fsdp_wrapped_module.", "_checkpoint_wrapped_module.")

#: What a running average of weights keeps beside them.
_BESIDE = "n_averaged"


@dataclass(frozen=True)
class Checkpoint:
    """The tensors of a checkpoint, by the names that the module gives them.

    Attributes:
        names: The key in the file for each name here.
        files: All files that it is made of.
    """

    file: Path
    tensors: Mapping[str, Stored]
    names: Mapping[str, str]
    files: tuple[Path, ...]
    remarks: tuple[Remark, ...] = ()

    def find_origin(self, name: str) -> Origin | None:
        """Say where the rows of a table lie, if they are here and in row order."""
        stored = self.tensors.get(name)
        if stored is None or stored.strides is not None or len(stored.shape) != 2:
            return None
        return Origin(table=name, file=str(stored.file), key=self.names[name])


def open_checkpoint(file: Path) -> Checkpoint:
    """Open a safetensors file, the index of a sharded one, a torch checkpoint or program.

    Raises:
        SourceError: It is missing or damaged, or holds more than tensors.
    """
    if not file.is_file():
        raise SourceError(f"{file}: {_no_file(file)}")
    tensors, nested = _read(file)
    remarks = [f"the weights lie under '{nested}' in {file.name}"] if nested else []
    names, said = _plain_names(tensors)
    remarks += [f"{one} in {file.name}" for one in said]
    return Checkpoint(
        file=file,
        tensors={name: tensors[key] for name, key in names.items()},
        names=names,
        files=tuple(dict.fromkeys([file, *(stored.file for stored in tensors.values())])),
        remarks=tuple(Remark(by="checkpoint", text=text) for text in remarks),
    )


def _plain_names(keys: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Give each key the name that it has in the bare module, and say what was taken off."""
    names = {key: key for key in keys}
    said: list[str] = []
    for wrapper in _WRAPPERS:
        bare = {_without(wrapper, name): key for name, key in names.items()}
        if bare.keys() != names.keys() and len(bare) == len(names):
            every = all(name.startswith(wrapper) for name in names)
            names = bare
            said.append(f"'{wrapper}' was taken off the names of {'all ' if every else ''}weights")
    inner = {name: key for name, key in names.items() if name != _BESIDE}
    if inner and all(name.startswith(_BEFORE_ALL) for name in inner):
        if len(inner) < len(names):
            said.append(f"'{_BESIDE}', of a running average, was left out")
        names = {name.removeprefix(_BEFORE_ALL): key for name, key in inner.items()}
        said.append(f"'{_BEFORE_ALL}' was taken off the names of all weights")
    return names, said


def _without(wrapper: str, name: str) -> str:
    """Take a wrapper's part off a name wherever it is a whole part."""
    return re.sub(rf"(^|\.){re.escape(wrapper)}", r"\1", name)


def rows(origin: Origin, root: Path) -> np.ndarray:
    """Map the rows of a table: [rows, dim], read-only.

    Args:
        root: What a relative `origin.file` is relative to.

    Raises:
        SourceError: The file does not hold them.
    """
    return mapped(stored_rows(origin, root))


def stored_rows(origin: Origin, root: Path) -> Stored:
    """Say where the rows of a table lie.

    Raises:
        SourceError: The file does not hold them.
    """
    file = root / origin.file
    if not file.is_file():
        raise SourceError(f"table {origin.table}: {file} is not there any more")
    stored = _read(file)[0].get(origin.key)
    if stored is None:
        raise SourceError(f"table {origin.table}: {file} has no '{origin.key}' any more")
    return stored


def find_bad(checkpoint: Checkpoint) -> dict[str, str]:
    """Find the weights that hold NaN or infinity: name → 'NaN at flat index 17'.

    Reads everything once, a chunk at a time.
    """
    return {name: bad for name, stored in checkpoint.tensors.items() if (bad := _bad(stored))}


def _bad(stored: Stored) -> str | None:
    before = 0
    for chunk in chunks(stored):
        if (at := first_bad(chunk)) is not None:
            what = "NaN" if np.isnan(chunk[at]) else "infinity"
            return f"{what} at flat index {before + at}"
        before += len(chunk)
    return None


def _read(file: Path) -> tuple[dict[str, Stored], str | None]:
    if file.name.endswith(".json"):
        return _sharded(file), None
    if file.suffix == ".safetensors":
        return safetensors_file.read_header(file), None
    if file.suffix == ".pt2":
        return program_zip.read_tensors(file), None
    if file.suffix == rows_file.PLACE:
        return rows_file.read_place(file), None
    return torch_zip.read_tensors(file)


def read_index(index: Path) -> dict[str, str]:
    """Read `model.safetensors.index.json`: in which file beside it each tensor lies.

    Raises:
        SourceError: It is no index, or names a file outside its folder.
    """
    try:
        said = json.loads(index.read_bytes())["weight_map"]
        places = {str(key): str(name) for key, name in said.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SourceError(f"{index}: is not the index of a sharded checkpoint") from error
    if foreign := [name for name in places.values() if Path(name).name != name]:
        raise SourceError(f"{index}: names a file outside its folder: {foreign[0]}")
    return places


def _sharded(index: Path) -> dict[str, Stored]:
    places = read_index(index)
    headers = {
        name: safetensors_file.read_header(index.parent / name) for name in set(places.values())
    }
    if lost := [key for key, name in places.items() if key not in headers[name]]:
        raise SourceError(f"{index}: says that {places[lost[0]]} holds '{lost[0]}'; it does not")
    return {key: headers[name][key] for key, name in places.items()}


def _no_file(file: Path) -> str:
    """Say what to name in place of a folder, or of a name that is a little off."""
    if file.is_dir():
        kinds = ("*.safetensors.index.json", "*.safetensors", "*.pt", "*.pth", "*.pt2", "*.bin")
        held = [path.name for kind in kinds for path in sorted(file.glob(kind))]
        return f"is a folder; name the checkpoint in it{f': {held[0]}' if held else ''}"
    there = [path.name for path in file.parent.iterdir()] if file.parent.is_dir() else []
    close = difflib.get_close_matches(file.name, there, 1)
    return f"is not there; did you mean {close[0]}?" if close else "is not there"
