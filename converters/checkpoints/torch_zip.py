"""Torch checkpoints: where their tensors lie, found without running what they hold."""

import pickle
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from converters.checkpoints.stored import Stored
from converters.dtypes import dtype_of_torch
from converters.quiet import quiet
from registry.errors import SourceError

if TYPE_CHECKING:
    import torch

_GLOBAL = re.compile(r"GLOBAL (\S+)")
_SAVE = "torch.save(model.state_dict(), file), or safetensors.torch.save_file"


def read_tensors(file: Path) -> tuple[dict[str, Stored], str | None]:
    """Say where each tensor lies, and under which key the state dict was, if it was nested.

    Raises:
        SourceError: The file holds more than tensors, is damaged, or has no state dict.
    """
    _check_archive(file)
    held = _load(file)
    nested, found = _state_dict(file, held)
    return {key: _stored(file, key, tensor) for key, tensor in found.items()}, nested


def _check_archive(file: Path) -> None:
    try:
        with zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
    except OSError as error:
        raise SourceError(f"{file}: cannot be read: {error.strerror}") from error
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise SourceError(
            f"{file}: is cut short, or not a checkpoint of today's torch. If torch can load it,"
            f" save it anew: {_SAVE}"
        ) from error
    names = [entry.filename for entry in entries]
    if len(set(names)) != len(names):
        raise SourceError(f"{file}: is damaged: two of its entries have one name")
    if packed := [entry.filename for entry in entries if entry.compress_type]:
        raise SourceError(
            f"{file}: was compressed after torch wrote it ({packed[0]}), so it cannot be mapped."
            f" Save it anew: {_SAVE}"
        )


def _load(file: Path) -> object:
    """Read the structure alone: fake tensors know where their data lies, and hold none."""
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode

    try:
        with quiet("torch.load", "torch"), FakeTensorMode():
            return torch.load(file, weights_only=True)
    except pickle.UnpicklingError as error:
        wants = _GLOBAL.search(str(error))
        what = f" ({wants[1].strip('.')})" if wants else ""
        raise SourceError(
            f"{file}: holds more than tensors{what}; reading it could run code, so it was not"
            f" read. Save the weights alone, where you trust the file: {_SAVE}"
        ) from error
    except Exception as error:
        raise SourceError(
            f"{file}: is damaged, or not a torch checkpoint: {str(error).strip().splitlines()[0]}"
        ) from error


def _state_dict(file: Path, held: object) -> "tuple[str | None, dict[str, torch.Tensor]]":
    """Find the tensors: on top, or one level below, as in {'state_dict': …, 'epoch': 3}."""
    if not isinstance(held, Mapping):
        raise SourceError(f"{file}: holds a {type(held).__name__}, not a state dict: {_SAVE}")
    if top := _tensors(held):
        return None, top
    below = {str(key): _tensors(value) for key, value in held.items() if isinstance(value, Mapping)}
    filled = {key: tensors for key, tensors in below.items() if tensors}
    if len(filled) > 1:
        likely = [key for key in filled if key in {"state_dict", "model", "model_state_dict"}]
        filled = {key: filled[key] for key in likely[:1]} or filled
    if len(filled) != 1:
        raise SourceError(
            f"{file}: has no one state dict among {', '.join(map(str, held))[:200]}: {_SAVE}"
        )
    return next(iter(filled.items()))


def _tensors(held: Mapping[object, object]) -> "dict[str, torch.Tensor]":
    import torch

    return {str(key): value for key, value in held.items() if isinstance(value, torch.Tensor)}


def _stored(file: Path, key: str, tensor: "torch.Tensor") -> Stored:
    if tensor.is_quantized or tensor.is_sparse:
        raise SourceError(f"{file}: '{key}' is a {tensor.layout} tensor: save it dense")
    start = getattr(tensor.untyped_storage(), "_checkpoint_offset", None)
    if start is None:
        raise SourceError(f"{file}: '{key}' has no data in the file. Save it anew: {_SAVE}")
    try:
        dtype = dtype_of_torch(tensor.dtype)
    except SourceError as error:
        raise SourceError(f"{file}: '{key}': {error}") from error
    stored = Stored(
        file,
        int(start) + tensor.storage_offset() * tensor.element_size(),
        dtype,
        tuple(tensor.shape),
        None if tensor.is_contiguous() else tuple(tensor.stride()),
    )
    inside = tensor.storage_offset() * tensor.element_size() + stored.span
    if (
        inside > tensor.untyped_storage().nbytes()
        or stored.offset + stored.span > file.stat().st_size
    ):
        raise SourceError(
            f"{file}: is damaged or cut short: '{key}' should have {stored.nbytes} bytes"
        )
    return stored
