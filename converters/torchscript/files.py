"""A frozen module as a file, and in it what TorchScript has no place for.

signature.json      names, dtypes and shapes
sizes.json          sizes of the free axes that it was run with
values.json         lowest and highest number of inputs of integers, where that is known
int8.txt            how values are brought to int8, where they are
"""

import json
from pathlib import Path
from typing import Any

from converters.quiet import quiet
from converters.torchscript.examples import Examples
from converters.torchscript.strip import strip
from converters.torchscript.tracing import Tried
from registry.errors import ConversionError
from registry.require import require
from registry.signature import Signature

SIGNATURE, SIZES, VALUES, INT8 = "signature.json", "sizes.json", "values.json", "int8.txt"


def save_module(
    module: Any,  # noqa: ANN401 - untyped
    file: Path,
    given: Examples,
    tried: Tried,
    int8: str = "",
) -> None:
    """Write a module; the same one is the same bytes."""
    torch = require("torch", extra="convert")
    texts = {
        SIGNATURE: given.signature.model_dump_json(),
        SIZES: json.dumps(tried),
        VALUES: json.dumps(given.values),
        **({INT8: int8} if int8 else {}),
    }
    whole = file.with_name("whole.pt")
    whole.parent.mkdir(parents=True, exist_ok=True)
    with quiet("torchscript"):
        torch.jit.save(module, whole, _extra_files=texts)
    strip(whole, file)
    whole.unlink()


def load_module(file: Path) -> tuple[Any, Examples, Tried]:
    """Read what `save_module` wrote.

    Raises:
        ConversionError: It cannot be read.
    """
    torch = require("torch", extra="convert")
    texts = {SIGNATURE: "", SIZES: "", VALUES: ""}
    try:
        with quiet("torchscript"):
            module = torch.jit.load(file, map_location="cpu", _extra_files=texts).eval()
        signature = Signature.model_validate_json(texts[SIGNATURE])
        values = {name: (low, high) for name, (low, high) in json.loads(texts[VALUES]).items()}
        return module, Examples(signature, values, {}), json.loads(texts[SIZES])
    except Exception as error:
        raise ConversionError(f"{file}: cannot be read back: {error}") from error
