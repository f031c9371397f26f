"""Read a request of the Open Inference Protocol: JSON, and arrays as JSON or as bytes behind it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson

from registry.errors import InputError
from targets.inputs import check_inputs
from targets.serving.array import read_array, shorten
from targets.serving.form import Field, Form


@dataclass(frozen=True, slots=True)
class Request:
    """A request that fits the version's form.

    Attributes:
        outputs: What to answer, and whether as bytes.
    """

    id: str | None
    inputs: dict[str, np.ndarray]
    outputs: Mapping[str, bool]


def read_request(body: bytes, header_length: str | None, form: Form) -> Request:
    """Read a request's body and hold it against what the version takes.

    Args:
        header_length: The header Inference-Header-Content-Length, if it was sent.

    Raises:
        InputError: With every fault that was found.
    """
    head, tail = _cut(body, header_length)
    message = _json(head)
    faults: list[str] = []
    inputs = _inputs(message.get("inputs"), tail, form, faults)
    outputs = _outputs(message, form, faults)
    name = message.get("id")
    if not isinstance(name, str | None):
        faults.append(f"id: {shorten(name)} is not a string")
    if faults:
        raise InputError("; ".join(faults[:20]))
    check_inputs(inputs, form.declared, form.axes)
    return Request(name or None, inputs, outputs)


def _cut(body: bytes, header_length: str | None) -> tuple[bytes, memoryview]:
    if header_length is None:
        return body, memoryview(b"")
    known = header_length.isascii() and header_length.isdigit() and len(header_length) < 16
    if not known or int(header_length) > len(body):
        raise InputError(
            f"Inference-Header-Content-Length: {shorten(header_length)} is not a length within "
            f"the body's {len(body)} bytes"
        )
    length = int(header_length)
    return body[:length], memoryview(body)[length:]


def _json(head: bytes) -> dict[str, Any]:
    try:
        message = orjson.loads(head)
    except orjson.JSONDecodeError as error:
        raise InputError(f"the request is not JSON: {error}") from error
    if not isinstance(message, dict):
        raise InputError("the request is not a JSON object")
    return message


def _inputs(
    entries: object, tail: memoryview, form: Form, faults: list[str]
) -> dict[str, np.ndarray]:
    if not isinstance(entries, list):
        faults.append(f"inputs: send a list with {', '.join(form.inputs)}")
        return {}
    arrays: dict[str, np.ndarray] = {}
    named: set[str] = set()
    start = 0
    for position, entry in enumerate(entries):
        field = _known(entry, form.inputs, f"inputs[{position}]", faults)
        size = _binary_size(entry, faults) if isinstance(entry, dict) else None
        if field and field.name in named:
            faults.append(f"{field.name}: sent twice")
        elif field:
            named.add(field.name)
            array = read_array(entry, field, tail[start : start + (size or 0)], faults)
            if array is not None:
                arrays[field.name] = array
        start += size or 0
    faults += [f"input {name} is missing" for name in form.inputs if name not in named]
    if start != len(tail):
        faults.append(f"the inputs claim {start} bytes behind the JSON, {len(tail)} were sent")
    return {name: arrays[name] for name in form.inputs if name in arrays}


def _known(
    entry: object, fields: Mapping[str, Field], where: str, faults: list[str]
) -> Field | None:
    name = entry.get("name") if isinstance(entry, dict) else None
    if not isinstance(name, str):
        faults.append(f"{where}: is not an object with a name")
    elif name not in fields:
        faults.append(f"{where}: '{shorten(name)}' is unknown; there is {', '.join(fields)}")
    else:
        return fields[name]
    return None


def _binary_size(entry: dict[str, Any], faults: list[str]) -> int | None:
    parameters = entry.get("parameters")
    if parameters is None:
        return None
    where = shorten(entry.get("name"))
    if not isinstance(parameters, dict):
        faults.append(f"{where}: parameters is not an object")
        return None
    if "shared_memory_region" in parameters:
        faults.append(f"{where}: shared memory is not supported")
    size = parameters.get("binary_data_size")
    if size is None:
        return None
    if type(size) is not int or size < 0:
        faults.append(f"{where}: binary_data_size {shorten(size)} is not a size in bytes")
        return None
    return size


def _outputs(message: dict[str, Any], form: Form, faults: list[str]) -> Mapping[str, bool]:
    """Read which outputs are wanted, all where nothing is said, and whether as bytes."""
    parameters = message.get("parameters") or {}
    entries = message.get("outputs")
    if not isinstance(parameters, dict):
        faults.append("parameters: is not an object")
        return {}
    otherwise = parameters.get("binary_data_output") is True
    if entries is None or entries == []:
        return dict.fromkeys(form.outputs, otherwise)
    if not isinstance(entries, list):
        faults.append("outputs: is not a list")
        return {}
    wanted = {}
    for position, entry in enumerate(entries):
        field = _known(entry, form.outputs, f"outputs[{position}]", faults)
        if field:
            wanted[field.name] = _as_bytes(entry, otherwise, faults)
    return wanted


def _as_bytes(entry: dict[str, Any], otherwise: bool, faults: list[str]) -> bool:  # noqa: FBT001 - the request's own default
    parameters = entry.get("parameters") or {}
    unsupported = {"classification", "shared_memory_region"}
    if not isinstance(parameters, dict) or unsupported & parameters.keys():
        faults.append(f"{entry['name']}: only binary_data may be asked for")
        return otherwise
    return bool(parameters.get("binary_data", otherwise))
