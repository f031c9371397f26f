"""Write an answer of the Open Inference Protocol, arrays as JSON or as bytes behind it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson

from targets.serving.form import Form
from targets.serving.request import Request


@dataclass(frozen=True, slots=True)
class Response:
    """What goes over the wire.

    Attributes:
        header_length: Length of the JSON where bytes follow it, else None.
    """

    body: bytes
    header_length: int | None = None


def write_response(
    request: Request, answers: Mapping[str, np.ndarray], form: Form, model: str, version: int
) -> Response:
    """Write the wanted outputs. JSON has no NaN or infinity: they become null there."""
    outputs: list[dict[str, Any]] = []
    tails: list[bytes] = []
    for name, binary in request.outputs.items():
        field = form.outputs[name]
        array = np.ascontiguousarray(answers[name], field.dtype)
        entry: dict[str, Any] = {
            "name": name,
            "datatype": field.datatype,
            "shape": answers[name].shape,
        }
        if binary:
            raw = array.astype(field.dtype.newbyteorder("<"), copy=False).tobytes()
            tails.append(raw)
            entry["parameters"] = {"binary_data_size": len(raw)}
        else:
            entry["data"] = array.reshape(-1)
        outputs.append(entry)
    message: dict[str, Any] = {
        "model_name": model,
        "model_version": str(version),
        "outputs": outputs,
    }
    if request.id is not None:
        message["id"] = request.id
    head = orjson.dumps(message, option=orjson.OPT_SERIALIZE_NUMPY)
    if not tails:
        return Response(head)
    return Response(b"".join((head, *tails)), len(head))
