"""Talk to a server that runs on this host."""

import json
from http.client import HTTPConnection, HTTPException
from math import prod
from typing import Any

import numpy as np

from registry.errors import ServeError
from registry.signature import DType
from targets.serving.form import DATATYPES
from targets.serving.presence import Presence
from targets.target import Arrays

_LENGTH = "Inference-Header-Content-Length"
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - where to reach who binds all


def is_there(presence: Presence) -> bool:
    """Say whether the server that announced itself still runs at its address."""
    try:
        answer = _ask(presence, "GET", "/v2", 5)
    except ServeError:
        return False
    return answer.get("instance") == presence.instance


def in_force(presence: Presence) -> dict[str, str]:
    """Ask what is in force in the server: its build's target, precision, threads, allocator.

    Raises:
        ServeError: The server does not answer, or refuses.
    """
    told = _ask(presence, "GET", f"/v2/models/{presence.model}", 5).get("parameters", {})
    return {str(name): str(value) for name, value in told.items()}


def reload(presence: Presence, timeout: float) -> None:
    """Let the server go to what its channel points to now, and wait until that is live.

    Raises:
        ServeError: It could not, and why; it still answers with the version before.
    """
    _ask(presence, "POST", f"/v2/repository/models/{presence.model}/load", timeout)


def infer(
    presence: Presence, inputs: Arrays, timeout: float = 60
) -> tuple[int, dict[str, np.ndarray]]:
    """Ask for answers, and for the number of the version that gave them.

    Raises:
        ServeError: The server does not answer, or refuses.
    """
    raws = {name: np.ascontiguousarray(array).tobytes() for name, array in inputs.items()}
    entries = [
        {
            "name": name,
            "datatype": DATATYPES[DType(array.dtype.name)],
            "shape": array.shape,
            "parameters": {"binary_data_size": len(raws[name])},
        }
        for name, array in inputs.items()
    ]
    message = {"inputs": entries, "parameters": {"binary_data_output": True}}
    head = json.dumps(message).encode()
    path = f"/v2/models/{presence.model}/infer"
    connection = _connect(presence, timeout)
    body = b"".join((head, *raws.values()))
    answer, length = _send(connection, "POST", path, body, {_LENGTH: str(len(head))})
    told = json.loads(answer[:length])
    return int(told["model_version"]), _outputs(told["outputs"], answer[length:])


def _outputs(entries: list[dict[str, Any]], raw: bytes) -> dict[str, np.ndarray]:
    dtypes = {name: np.dtype(dtype.value) for dtype, name in DATATYPES.items()}
    outputs, start = {}, 0
    for entry in entries:
        dtype = dtypes[entry["datatype"]]
        array = np.frombuffer(raw, dtype, prod(entry["shape"]), start)
        outputs[entry["name"]] = array.reshape(entry["shape"])
        start += array.nbytes
    return outputs


def _ask(presence: Presence, method: str, path: str, timeout: float) -> dict[str, Any]:
    body, _ = _send(_connect(presence, timeout), method, path, b"", {})
    try:
        answer = json.loads(body)
    except ValueError as error:
        raise ServeError(f"what listens at {presence.host}:{presence.port} is no server") from error
    return answer if isinstance(answer, dict) else {}


def _connect(presence: Presence, timeout: float) -> HTTPConnection:
    host = _EVERYWHERE.get(presence.host, presence.host)
    return HTTPConnection(host, presence.port, timeout=timeout)


def _send(
    connection: HTTPConnection, method: str, path: str, body: bytes, headers: dict[str, str]
) -> tuple[bytes, int]:
    """Send a request; return the answer's body and the length of its JSON."""
    where = f"the server at {connection.host}:{connection.port}"
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        answer = response.read()
    except (OSError, HTTPException) as error:
        raise ServeError(f"{where} does not answer: {error or type(error).__name__}") from error
    finally:
        connection.close()
    if response.status != 200:
        raise ServeError(f"{where} refuses: {_reason(answer)}")
    return answer, int(response.headers.get(_LENGTH, len(answer)))


def _reason(answer: bytes) -> str:
    try:
        return str(json.loads(answer)["error"])
    except (ValueError, KeyError, TypeError):
        return answer[:200].decode(errors="replace")
