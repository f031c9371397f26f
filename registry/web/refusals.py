"""Why a request is not answered, each kind with its HTTP status."""

import logging
from http import HTTPStatus

from registry.errors import IntegrityError, PlatformError, StoreError

log = logging.getLogger(__name__)


class RefusalError(PlatformError):
    """A request that is not answered."""

    status = HTTPStatus.BAD_REQUEST


class NotThereError(RefusalError):
    """What was asked for is not there."""

    status = HTTPStatus.NOT_FOUND


class ForbiddenError(RefusalError):
    """Whoever asks may not."""

    status = HTTPStatus.FORBIDDEN


class MisdirectedError(RefusalError):
    """The request was meant for a host that this server is not."""

    status = HTTPStatus.MISDIRECTED_REQUEST


class MethodError(RefusalError):
    """There is such a page, but not by this method."""

    status = HTTPStatus.METHOD_NOT_ALLOWED


class TooLargeError(RefusalError):
    """The body is too large."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE


class SlowError(RefusalError):
    """The body did not come in time."""

    status = HTTPStatus.REQUEST_TIMEOUT


class KindError(RefusalError):
    """The body is of a kind that is not read."""

    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE


def explain(error: Exception) -> tuple[HTTPStatus, str]:
    """Return the status of an error and what is told of it; a bug is logged, and not told."""
    if isinstance(error, RefusalError):
        return error.status, str(error)
    if isinstance(error, StoreError | IntegrityError):
        return HTTPStatus.BAD_GATEWAY, str(error)
    if isinstance(error, PlatformError):
        return HTTPStatus.INTERNAL_SERVER_ERROR, str(error)
    log.error("a request failed", exc_info=error)
    return HTTPStatus.INTERNAL_SERVER_ERROR, "the request failed; the server's log says why"
