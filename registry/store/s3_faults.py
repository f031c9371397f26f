"""What an S3-compatible service can answer, in words: the place, the fault, the remedy."""

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionClosedError,
    ConnectTimeoutError,
    CredentialRetrievalError,
    EndpointConnectionError,
    HTTPClientError,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
    ProxyConnectionError,
    ReadTimeoutError,
    SSLError,
)
from urllib3.exceptions import HTTPError

from registry.errors import PlatformError, ResourceError, StoreError
from registry.store.s3_place import Place

_CREDENTIALS = (
    "Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (or AWS_PROFILE), and that they "
    "are this endpoint's"
)
_WAIT = "Try again later; if it stays, ask those who run the service"
_RIGHTS = f"Give them the right to read, list and write there. {_CREDENTIALS}"

#: By the error code of an answer; HEAD requests have only the status.
_ANSWERS: dict[str, tuple[str, str]] = {
    "InvalidAccessKeyId": ("it does not know the access key", _CREDENTIALS),
    "SignatureDoesNotMatch": ("the secret key is wrong", _CREDENTIALS),
    "ExpiredToken": ("the credentials have expired", "Fetch new ones"),
    "InvalidToken": ("the session token is wrong", "Set or unset AWS_SESSION_TOKEN"),
    "RequestTimeTooSkewed": ("this host's clock is wrong", "Set the clock"),
    "AccessDenied": ("the credentials may not do this", _RIGHTS),
    "403": ("the credentials are wrong, or may not do this", _RIGHTS),
    "NoSuchBucket": ("there is no such bucket", "Create it, or correct the URL"),
    "NoSuchKey": ("there is no such object", "Look at: pipeline registry ls"),
    "404": ("there is no such bucket or object", "Create the bucket, or correct the URL"),
    "NotImplemented": ("the service does not implement this", "Take another service"),
    "MissingContentLength": ("the service misses a length", "Take a newer version of the service"),
    "XAmzContentSHA256Mismatch": ("bytes were altered on the way", "Look for a faulty proxy"),
    "BadDigest": ("bytes were altered on the way", "Look for a faulty proxy"),
    "SlowDown": ("it is overloaded", _WAIT),
    "503": ("it is not available", _WAIT),
}

_FULL = frozenset({"InsufficientStorage", "QuotaExceeded", "XMinioStorageFull", "507"})

#: By the kind of error, the first that fits.
_FAILURES: tuple[tuple[type[Exception], str, str], ...] = (
    (NoCredentialsError, "there are no credentials", _CREDENTIALS),
    (PartialCredentialsError, "the credentials lack a part", _CREDENTIALS),
    (CredentialRetrievalError, "the credentials could not be fetched", _CREDENTIALS),
    (ProfileNotFound, "there is no such profile", "Correct AWS_PROFILE"),
    (
        SSLError,
        "its TLS certificate is not to be trusted",
        "Set AWS_CA_BUNDLE to the file of its certificate authority, if you trust it",
    ),
    (ReadTimeoutError, "it does not answer in time", f"{_WAIT}. The URL takes ?timeout=SECONDS"),
    (ConnectTimeoutError, "it cannot be reached in time", "Check the endpoint and the network"),
    (ProxyConnectionError, "the proxy cannot be reached", "Check HTTPS_PROXY"),
    (EndpointConnectionError, "it cannot be reached", "Check the endpoint and the network"),
    (ConnectionClosedError, "it hung up", f"{_WAIT}. Check whether it speaks http or https"),
    (HTTPClientError, "the connection failed", f"{_WAIT}. Check whether it speaks http or https"),
    (HTTPError, "the connection failed", f"{_WAIT}. Check whether it speaks http or https"),
    (BotoCoreError, "the request could not be made", "Correct the URL or the AWS configuration"),
)


def code_of(error: ClientError) -> str:
    """Return an answer's error code."""
    return str(error.response.get("Error", {}).get("Code", "?"))


@contextmanager
def s3_faults(place: Place, what: str = "") -> Iterator[None]:
    """Turn what the service answers, and what keeps it from answering, into platform errors.

    Secrets cannot get into them: of an answer the code is repeated, of a failure its kind.
    """
    try:
        yield
    except ClientError as error:
        raise _answered(error, place, what) from error
    except (BotoCoreError, HTTPError) as error:  # urllib3's get through in the body of an answer
        found = next((row for row in _FAILURES if isinstance(error, row[0])), _FAILURES[-1])
        raise StoreError(f"{place}: {found[1]} ({type(error).__name__}). {found[2]}") from error


def _answered(error: ClientError, place: Place, what: str) -> PlatformError:
    code = code_of(error)
    where = f"{place}, {what}" if what else str(place)
    if code in _FULL:
        return ResourceError(
            f"{where}: the store is full ({code}). Free space, then run this again"
        )
    status = str(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", "?"))
    unknown = ("it refuses", _WAIT)
    fault, remedy = _ANSWERS.get(code) or _ANSWERS.get(status) or unknown
    return StoreError(f"{where}: {fault} ({code}, status {status}). {remedy}")
