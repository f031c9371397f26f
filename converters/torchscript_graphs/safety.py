"""Look through a TorchScript file for what must not run, before torch reads it.

Torch reads no Python from such a file: its code is of a language of its own, without imports,
and its pickles are read by a reader that makes tensors and that language's objects only. But the
language can write and map files, and reading runs what the file says of its own state.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from registry.errors import SourceError

#: Operators beside those of torch itself, by namespace; classes made in C++ are of none.
_NAMESPACES = ("aten", "prim", "torchvision")
_FAULTS: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (re.compile(rb"\bfrom_file\b"), "reads or makes a file (aten::from_file)"),
    (re.compile(rb"\.\s*save\s*\("), "writes a file (aten::save)"),
    (re.compile(rb"\brpc_\w+"), "calls other processes"),
    (re.compile(rb"__torch__\.torch\.classes\.[\w.]+"), "has objects that are made in C++"),
)
_FOREIGN = re.compile(rb"\bops\s*\.\s*(\w+)\s*\.\s*(\w+)")


def check(file: Path) -> None:
    """Refuse a TorchScript file that does more than compute.

    Raises:
        SourceError: It does, or it is damaged, or no TorchScript.
    """
    import torch

    try:
        reader = torch._C.PyTorchFileReader(str(file))
        names = list(reader.get_all_records())
        found = [fault for name in names if _is_read(name) for fault in _faults(reader, name)]
    except RuntimeError as error:
        raise SourceError(f"{file}: is cut short, or not a TorchScript file") from error
    if not any(name.startswith("code/") for name in names):
        raise SourceError(f"{file}: holds no TorchScript{_instead(names)}")
    if found:
        raise SourceError(
            f"{file}: was not loaded: {'; '.join(dict.fromkeys(found))}. Take a source of kind"
            " `torch`, with the module that it was made from, or leave that out of the module"
        )


def _is_read(name: str) -> bool:
    return name.endswith((".py", ".pkl"))


def _faults(reader: object, name: str) -> Iterator[str]:
    text: bytes = reader.get_record(name)  # type: ignore[attr-defined]  # torch does not type it
    for pattern, fault in _FAULTS:
        if pattern.search(text):
            yield f"{name} {fault}"
    for space, operator in _FOREIGN.findall(text):
        if space.decode() not in _NAMESPACES:
            kind = f"{space.decode()}::{operator.decode()}"
            yield f"{name} runs {kind}, which is no operator of torch's own"


def _instead(names: list[str]) -> str:
    if any(name.startswith("models/") for name in names):
        return ", but a program of torch.export: write kind: program"
    return "; a checkpoint belongs under `weights` of a source of kind `torch`"
