"""Why a request is not answered, each kind with its HTTP status."""

import logging

from registry.errors import InputError, PlatformError
from targets.serving.reply import CLOSE, Headers, Reply, refuse

log = logging.getLogger(__name__)


class RefusalError(PlatformError):
    """A request that is not answered, though its inputs may be fine."""

    status = 500
    headers: Headers = ()


class BusyError(RefusalError):
    """The queue is full."""

    status = 503
    headers: Headers = ((b"retry-after", b"1"),)


class LoadingError(BusyError):
    """No version is loaded yet."""


class LateError(RefusalError):
    """The answer took too long."""

    status = 504


class UnknownError(RefusalError):
    """No such model, or no such version of it, is live."""

    status = 404


class GoneError(RefusalError):
    """The client left before it had sent its request."""

    status = 400


class SlowError(RefusalError):
    """The body did not come in time."""

    status = 408
    headers: Headers = CLOSE


class TooLargeError(RefusalError):
    """The body is too large; its rest is not read."""

    status = 413
    headers: Headers = CLOSE


class EncodingError(RefusalError):
    """The body is compressed."""

    status = 415


def as_reply(error: Exception) -> Reply:
    """Turn an error into the answer that it deserves; one that nobody foresaw is logged whole."""
    if isinstance(error, RefusalError):
        return refuse(error.status, str(error), error.headers)
    if isinstance(error, InputError):
        return refuse(400, str(error))
    log.error("a request failed", exc_info=error)
    return refuse(500, f"the request failed: {error}")
