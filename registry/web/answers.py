"""Answer requests: pages, the same as JSON, and what pages are made of."""

from http import HTTPStatus

from registry.errors import PlatformError
from registry.web.call import Call, Reply
from registry.web.openapi import openapi
from registry.web.promotion import cookie, new_nonce, nonce_of
from registry.web.reading import file_of, read_version
from registry.web.refusals import NotThereError
from registry.web.render import fixed, render
from registry.web.screens import Screen

JSON = "application/json"

#: Of the pages: they load nothing but the one style sheet, and run nothing.
PAGE_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-src 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)

#: Of reports, which came with their versions: they are shown, and can do nothing.
REPORT_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"

#: Bytes of a report that is shown.
_LARGEST_REPORT = 32 << 20


def show(screen: Screen, call: Call) -> Reply:
    """Show a record as a page."""
    promotion = call.room.promotion
    if promotion is None:
        return Reply(body=render(screen.name, screen.read(call), form=None))
    nonce = nonce_of(call.headers) or new_nonce()
    page = render(screen.name, screen.read(call), form=promotion.form_of(nonce))
    return Reply(body=page, headers=(cookie(nonce),))


def tell(screen: Screen, call: Call) -> Reply:
    """Tell a record as JSON."""
    return Reply(body=screen.read(call).model_dump_json(by_alias=True).encode(), kind=JSON)


def tell_api(call: Call) -> Reply:  # noqa: ARG001  of every answer
    """Tell what the API has."""
    return Reply(body=openapi(), kind=JSON)


def show_style(call: Call) -> Reply:  # noqa: ARG001
    """Give the style sheet."""
    return Reply(body=fixed("look.css") + fixed("style.css"), kind="text/css; charset=utf-8")


def show_icon(call: Call) -> Reply:  # noqa: ARG001
    """Give the icon of all pages."""
    return Reply(body=fixed("icon.svg"), kind="image/svg+xml")


def go_to_models(call: Call) -> Reply:  # noqa: ARG001
    """Send whoever comes to the list of models."""
    return Reply(status=HTTPStatus.SEE_OTHER, headers=(("Location", "/models"),))


def show_report(call: Call) -> Reply:
    """Show the report that was published with a version, in a box that it cannot leave."""
    catalog, model, number = call.room.catalog, call.names["model"], int(call.names["number"])
    version = read_version(catalog, model, number)
    name = f"{version.report}/index.html"
    try:
        page = file_of(catalog, version, name, _LARGEST_REPORT)
    except PlatformError:
        if catalog.removal(model, number) is None:
            raise
        page = None
    if page is None:
        raise NotThereError(f"{model}@{number} has no report that can be shown")
    return Reply(body=page, headers=(("Content-Security-Policy", REPORT_POLICY),))
