"""Why a request is not answered, each kind with its HTTP status."""

from registry.errors import InputError, PlatformError
from targets.serving.reply import Headers, Reply, refuse


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


class EncodingError(RefusalError):
    """The body is compressed."""

    status = 415


def as_reply(error: PlatformError) -> Reply:
    """Turn an error into the answer that it deserves."""
    if isinstance(error, RefusalError):
        return refuse(error.status, str(error), error.headers)
    return refuse(400 if isinstance(error, InputError) else 500, str(error))
