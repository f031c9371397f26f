"""What the server answers, path by path: the Open Inference Protocol v2 over HTTP, and metrics."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from time import monotonic
from uuid import uuid4

from registry.errors import PlatformError
from targets.host.allocator import allocator_in_force
from targets.serving.form import Field
from targets.serving.live import Live, Served
from targets.serving.refusals import EncodingError, LoadingError, UnknownError, as_reply
from targets.serving.reply import Reply, refuse, tell
from targets.serving.request import read_request
from targets.serving.response import write_response


@dataclass
class Room:
    """What the routes see of the server.

    Attributes:
        reload: Go to the version that the reference points to now.
        instance: Tells this process from all others.
    """

    live: Live
    reload: Callable[[], Awaitable[None]]
    instance: str = field(default_factory=lambda: uuid4().hex)
    in_flight: int = 0


@dataclass(frozen=True, slots=True)
class Call:
    """A request: the parts of its path, its headers in lower case, its body."""

    path: dict[str, str | None]
    headers: dict[bytes, bytes]
    body: bytes


async def server(room: Room, call: Call) -> Reply:
    """Describe the server."""
    del call
    return tell(
        {
            "name": "model-pipeline",
            "version": _own_version(),
            "extensions": ["binary_tensor_data", "model_repository"],
            "instance": room.instance,
        }
    )


async def alive(room: Room, call: Call) -> Reply:
    """Say that the process runs."""
    del room, call
    return tell({"live": True})


async def ready(room: Room, call: Call) -> Reply:
    """Say whether new requests are welcome."""
    del call
    return tell({"ready": room.live.ready}, 200 if room.live.ready else 503)


async def metrics(room: Room, call: Call) -> Reply:
    """Give Prometheus what it reads."""
    del call
    room.live.metrics.in_flight.set(room.in_flight)
    return Reply(200, room.live.metrics.write(), b"text/plain; version=0.0.4; charset=utf-8")


async def model(room: Room, call: Call) -> Reply:
    """Describe the version that is live, and what is in force in this process."""
    served = _find(room, call)
    form, build = served.loaded.form, served.loaded.build
    in_force = served.loaded.predictor.in_force()
    return tell(
        {
            "name": room.live.model,
            "versions": [str(served.number)],
            "platform": build.runtime,
            "inputs": [_describe(entry) for entry in form.inputs.values()],
            "outputs": [_describe(entry) for entry in form.outputs.values()],
            "parameters": in_force | {"target": build.target, "allocator": allocator_in_force()},
        }
    )


async def model_ready(room: Room, call: Call) -> Reply:
    """Say whether the model, or this version of it, is live."""
    _find(room, call)
    return tell(
        {"name": room.live.model, "ready": room.live.ready}, 200 if room.live.ready else 503
    )


async def infer(room: Room, call: Call) -> Reply:
    """Answer an inference request, and count it whatever comes of it."""
    since = monotonic()
    try:
        reply = await _infer(room, call)
    except Exception as error:  # noqa: BLE001 - a runtime may raise anything
        reply = as_reply(error)
    room.live.metrics.count(reply.status, since)
    return reply


async def _infer(room: Room, call: Call) -> Reply:
    served = _find(room, call)
    encoding = call.headers.get(b"content-encoding", b"identity").decode("latin-1")
    if encoding != "identity":
        raise EncodingError(f"Content-Encoding {encoding} is not supported. Send the body as it is")
    length = call.headers.get(b"inference-header-content-length")
    form = served.loaded.form
    request = read_request(call.body, length.decode("latin-1") if length else None, form)
    answers = await served.batcher.submit(request.inputs)
    response = write_response(request, answers, form, room.live.model, served.number)
    room.live.metrics.ids.inc(sum(request.inputs[name].size for name in served.loaded.ids))
    if response.header_length is None:
        return Reply(200, response.body)
    head = (b"inference-header-content-length", str(response.header_length).encode())
    return Reply(200, response.body, b"application/octet-stream", (head,))


async def index(room: Room, call: Call) -> Reply:
    """List the models that are live."""
    del call
    served = room.live.served
    if served is None:
        return tell([])
    return tell([{"name": room.live.model, "version": str(served.number), "state": "READY"}])


async def load(room: Room, call: Call) -> Reply:
    """Go to the version that the channel points to now, and answer when it is live."""
    _check_model(room, call)
    try:
        await room.reload()
    except PlatformError as error:
        return refuse(409, str(error))
    return tell({})


def _find(room: Room, call: Call) -> Served:
    """Find the version that a path names."""
    _check_model(room, call)
    served = room.live.served
    if served is None:
        raise LoadingError(f"{room.live.model} is being loaded")
    wanted = call.path["version"]
    if wanted is not None and wanted != str(served.number):
        raise UnknownError(
            f"version {wanted[:40]} of {room.live.model} is not live, {served.number} is"
        )
    return served


def _check_model(room: Room, call: Call) -> None:
    name = call.path["model"] or ""
    if name != room.live.model:
        raise UnknownError(f"model '{name[:100]}' is not served here, '{room.live.model}' is")


def _describe(entry: Field) -> dict[str, object]:
    shape = [dim if isinstance(dim, int) else -1 for dim in entry.shape]
    return {"name": entry.name, "datatype": entry.datatype, "shape": shape}


def _own_version() -> str:
    try:
        return version("model-pipeline")
    except PackageNotFoundError:
        return "0"


@dataclass(frozen=True, slots=True)
class Route:
    """A path, the methods it takes, and what answers."""

    path: re.Pattern[str]
    methods: tuple[str, ...]
    answer: Callable[[Room, Call], Awaitable[Reply]]


_READ = ("GET", "HEAD")
_MODEL = "/v2/models/(?P<model>[^/]+)(?:/versions/(?P<version>[^/]+))?"

ROUTES: tuple[Route, ...] = (
    Route(re.compile(f"{_MODEL}/infer"), ("POST",), infer),
    Route(re.compile("/v2/health/live"), _READ, alive),
    Route(re.compile("/v2/health/ready"), _READ, ready),
    Route(re.compile(f"{_MODEL}/ready"), _READ, model_ready),
    Route(re.compile(f"{_MODEL}/?"), _READ, model),
    Route(re.compile("/v2/?"), _READ, server),
    Route(re.compile("/metrics"), _READ, metrics),
    Route(re.compile("/v2/repository/index"), ("POST",), index),
    Route(re.compile("/v2/repository/models/(?P<model>[^/]+)/load"), ("POST",), load),
)
