"""Where in S3-compatible storage a store is, and how it is to be spoken to."""

from dataclasses import dataclass
from typing import Literal, Self
from urllib.parse import SplitResult, parse_qsl, urlsplit

from pydantic import Field, ValidationError, model_validator

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
        encryption: How the service is to encrypt what is written; None leaves it to the bucket.
        kms_key: The key for that, where it is not the account's own.
        requester_pays: Agree to pay for requests to a bucket of somebody else.
        addressing: Whether the bucket stands in the path or in the name of the host. None is the
            path where there is an endpoint, and else what AWS wants.
        compare: Whether a push looks for rows that changed in older shards of the bucket, or only
            where this host has these.
    """

    single_writer: bool = False
    timeout: float = Field(default=30, gt=0, le=3600)
    attempts: int = Field(default=4, ge=1, le=10)
    encryption: Literal["AES256", "aws:kms", "aws:kms:dsse"] | None = None
    kms_key: str | None = None
    requester_pays: bool = False
    addressing: Literal["path", "virtual"] | None = None
    compare: Literal["all", "near"] = "all"

    @model_validator(mode="after")
    def _has_use_for_its_key(self) -> Self:
        if self.kms_key and self.encryption in {None, "AES256"}:
            raise ValueError("kms_key goes with encryption=aws:kms")
        return self

    @property
    def always(self) -> dict[str, str]:
        """What goes with every request that takes it, by the names of the protocol."""
        told = {
            "ServerSideEncryption": self.encryption,
            "SSEKMSKeyId": self.kms_key,
            "RequestPayer": "requester" if self.requester_pays else None,
        }
        return {name: text for name, text in told.items() if text}


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
    parts = _split(url)
    if endpoint is not None:
        service = _split(endpoint)
        if service.scheme not in {"http", "https"} or not service.hostname:
            raise StoreError(f"endpoint {endpoint}: not a URL. Write https://host or http://host:9")
    prefix = parts.path.strip("/")
    faults = {
        "names no bucket": not parts.netloc,
        "has a '#'": parts.fragment,
        f"its prefix {fault_of(prefix)}": prefix and fault_of(prefix),
    }
    if fault := next((fault for fault, is_so in faults.items() if is_so), None):
        raise StoreError(f"store s3://{parts.netloc}/…: {fault}. Write {EXAMPLE}")
    where = f"s3://{parts.netloc}/{prefix}"
    options = _read_options(where, parts.query)
    return Place(parts.netloc, f"{prefix}/" if prefix else "", endpoint, options)


def _split(url: str) -> SplitResult:
    """Split a URL that carries no credentials."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise StoreError(f"{url.partition('//')[0]}//…: {error}. Correct the URL") from error
    if "@" in parts.netloc:
        raise StoreError(
            f"{parts.scheme}://…@{parts.netloc.rpartition('@')[2]}: credentials do not belong in a "
            "URL. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
        )
    return parts


def _read_options(where: str, query: str) -> S3Options:
    try:
        return S3Options.model_validate(dict(parse_qsl(query, keep_blank_values=True)))
    except ValidationError as error:
        faults = "; ".join(
            f"{': '.join([*map(str, fault['loc']), fault['msg']])}" for fault in error.errors()
        )
        known = ", ".join(S3Options.model_fields)
        raise StoreError(f"store {where}: {faults}. After '?' it takes: {known}") from None
