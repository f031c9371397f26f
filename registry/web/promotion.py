"""Who may move a channel from the pages: who has the token, from a form of this server."""

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from registry.errors import ServeError
from registry.web.refusals import ForbiddenError

#: Names the token; where it is not set, one is made at each start.
TOKEN = "PIPELINE_PROMOTE_TOKEN"  # noqa: S105  the name of a variable

_SHORTEST = 16

_COOKIE = "registry-form"

_NONCE = 32


def _new_key() -> bytes:
    return secrets.token_bytes(32)


@dataclass(frozen=True, repr=False)
class Promotion:
    """The token, and the key by which forms of this server are known.

    A form carries the digest of a cookie that only this server's pages can read: another site
    can make a browser send the cookie, and cannot know the digest.
    """

    token: str
    key: bytes = field(default_factory=_new_key)

    def form_of(self, nonce: str) -> str:
        """Return what a form carries that was sent with a cookie."""
        return hmac.digest(self.key, nonce.encode(), "sha256").hex()

    def check_token(self, token: str) -> None:
        """Refuse any token but the one.

        Raises:
            ForbiddenError: It is another.
        """
        if not hmac.compare_digest(token.encode(errors="replace"), self.token.encode()):
            raise ForbiddenError(
                f"the token is wrong. The server printed it at its start, or has it from {TOKEN}"
            )

    def check_form(self, form: str, headers: Mapping[str, str]) -> None:
        """Refuse a form that is not of a page of this server.

        Raises:
            ForbiddenError: It is of another site, or of a server that has ended.
        """
        nonce = nonce_of(headers)
        wanted = self.form_of(nonce) if nonce else ""
        if not nonce or not hmac.compare_digest(form.encode(errors="replace"), wanted.encode()):
            raise ForbiddenError("the form is not of this server's page. Load the page again")


def new_promotion(token: str | None) -> Promotion:
    """Take the token that was given, or make one.

    Raises:
        ServeError: It can be guessed.
    """
    if token is not None and (len(token) < _SHORTEST or not token.isascii()):
        raise ServeError(
            f"{TOKEN} is too short, or not ASCII: it takes {_SHORTEST} signs or more. "
            "Leave it out, and one is made"
        )
    return Promotion(token or secrets.token_urlsafe(32))


def nonce_of(headers: Mapping[str, str]) -> str | None:
    """Return what the cookie of the forms holds, if it is one that this product made."""
    for pair in headers.get("cookie", "").split(";"):
        name, _, value = pair.strip().partition("=")
        if name == _COOKIE and len(value) == _NONCE and value.isascii() and value.isalnum():
            return value
    return None


def new_nonce() -> str:
    """Make what the cookie of the forms holds."""
    return secrets.token_hex(_NONCE // 2)


def cookie(nonce: str) -> tuple[str, str]:
    """Return the header that sets the cookie of the forms."""
    return "Set-Cookie", f"{_COOKIE}={nonce}; Path=/; HttpOnly; SameSite=Strict"


def check_origin(headers: Mapping[str, str]) -> None:
    """Refuse what a browser sends from a page of another site.

    Raises:
        ForbiddenError: Its headers say that it is.
    """
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    here = headers.get("host", "").lower()
    same = origin is None or origin.lower().partition("://")[2] == here
    if not same or site not in (None, "same-origin", "none"):
        raise ForbiddenError("the request comes from a page of another site")
