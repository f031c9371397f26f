"""A frozen module as a file, and in it what TorchScript has no place for.

signature.json      names, dtypes and shapes
sizes.json          sizes of the free axes that it was run with
"""

import json
from pathlib import Path
from typing import Any

from converters.quiet import quiet
from converters.torchscript.strip import strip
from converters.torchscript.tracing import Tried
from registry.errors import ConversionError
from registry.require import require
from registry.signature import Signature

SIGNATURE, SIZES = "signature.json", "sizes.json"


def save_module(module: Any, file: Path, signature: Signature, tried: Tried) -> None:  # noqa: ANN401 - untyped
    """Write a module; the same one is the same bytes."""
    torch = require("torch", extra="convert")
    texts = {SIGNATURE: signature.model_dump_json(), SIZES: json.dumps(tried)}
    whole = file.with_name("whole.pt")
    whole.parent.mkdir(parents=True, exist_ok=True)
    with quiet("torchscript"):
        torch.jit.save(module, whole, _extra_files=texts)
    strip(whole, file)
    whole.unlink()


def load_module(file: Path) -> tuple[Any, Signature, Tried]:
    """Read what `save_module` wrote.

    Raises:
        ConversionError: It cannot be read.
    """
    torch = require("torch", extra="convert")
    texts = {SIGNATURE: "", SIZES: ""}
    try:
        with quiet("torchscript"):
            module = torch.jit.load(file, map_location="cpu", _extra_files=texts).eval()
        signature = Signature.model_validate_json(texts[SIGNATURE])
        return module, signature, json.loads(texts[SIZES])
    except Exception as error:
        raise ConversionError(f"{file}: cannot be read back: {error}") from error
