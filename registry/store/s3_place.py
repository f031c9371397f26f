"""Where in S3-compatible storage a store is, and how it is to be spoken to."""

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from pydantic import Field, ValidationError

from registry.errors import StoreError
from registry.safe_path import fault_of
from registry.signature import Frozen

EXAMPLE = "s3://bucket/prefix"


class S3Options(Frozen):
    """What stands behind `?` in a store's URL.

    Attributes:
        single_writer: Nobody else publishes there, so that an endpoint without
            conditional writes will do.
        timeout: Seconds without an answer after which a request has failed.
        attempts: How often a request is tried, with growing random pauses.
    """

    single_writer: bool = False
    timeout: float = Field(default=30, gt=0, le=3600)
    attempts: int = Field(default=4, ge=1, le=10)


@dataclass(frozen=True)
class Place:
    """Where a store is.

    Attributes:
        prefix: Empty, or ends in `/`.
        endpoint: None is AWS, or what the environment says.
    """

    bucket: str
    prefix: str
    endpoint: str | None
    options: S3Options

    def __str__(self) -> str:
        where = f"s3://{self.bucket}/{self.prefix}".rstrip("/")
        return f"{where} at {self.endpoint}" if self.endpoint else where


def read_url(url: str, endpoint: str | None) -> Place:
    """Take a store's URL apart.

    Raises:
        StoreError: The URL is malformed or carries credentials, which it then does not repeat.
    """
    parts = urlsplit(url)
    _refuse_secrets(url)
    if endpoint is not None:
        _refuse_secrets(endpoint)
        if urlsplit(endpoint).scheme not in {"http", "https"} or not urlsplit(endpoint).hostname:
            raise StoreError(f"endpoint {endpoint}: not a URL. Write https://host or http://host:9")
    prefix = parts.path.strip("/")
    if not parts.netloc or parts.fragment or (prefix and (fault := fault_of(prefix))):
        why = "names no bucket" if not parts.netloc else f"its prefix {fault or 'has a #'}"
        raise StoreError(f"store s3://{parts.netloc}/…: {why}. Write {EXAMPLE}")
    where = f"s3://{parts.netloc}/{prefix}"
    options = _read_options(where, parts.query)
    return Place(parts.netloc, f"{prefix}/" if prefix else "", endpoint, options)


def _refuse_secrets(url: str) -> None:
    if "@" in urlsplit(url).netloc:
        raise StoreError(
            f"{urlsplit(url).scheme}://…@{urlsplit(url).netloc.rpartition('@')[2]}: credentials do "
            "not belong in a URL. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
        )


def _read_options(where: str, query: str) -> S3Options:
    try:
        return S3Options.model_validate(dict(parse_qsl(query, keep_blank_values=True)))
    except ValidationError as error:
        faults = "; ".join(f"{fault['loc'][0]}: {fault['msg']}" for fault in error.errors())
        known = ", ".join(S3Options.model_fields)
        raise StoreError(f"store {where}: {faults}. After '?' it takes: {known}") from None
