"""Move a channel, as a form of a page asks."""

from http import HTTPStatus

from registry.catalog import Catalog
from registry.errors import StoreError
from registry.reference import check_name
from registry.tag import read_tag
from registry.web.call import Call, Fields, Reply, read_fields
from registry.web.promotion import check_origin
from registry.web.reading import read_version
from registry.web.refusals import ForbiddenError, KindError, RefusalError

_FORM = "application/x-www-form-urlencoded"

_LONGEST = {"who": 100, "why": 1000}


def promote(call: Call) -> Reply:
    """Point a channel at a version, and send the browser back to the model.

    Raises:
        RefusalError: It may not be, or the form is not filled in as it has to be.
    """
    promotion = call.room.promotion
    if promotion is None:
        raise ForbiddenError("this server only shows. Start it with --allow-promote")
    check_origin(call.headers)
    fields = _fields_of(call)
    promotion.check_form(_one(fields, "form"), call.headers)
    promotion.check_token(_one(fields, "token"))
    model, channel = call.names["model"], _one(fields, "channel")
    version = Call(call.room, call.names, fields).number("version")
    if version is None:
        raise RefusalError("version: say which")
    who, why = (_text(fields, name) for name in _LONGEST)
    _check_free(call.room.catalog, model, channel, version)
    call.room.catalog.move(model, channel, version, who=who, why=why)
    return Reply(status=HTTPStatus.SEE_OTHER, headers=(("Location", f"/models/{model}"),))


def _fields_of(call: Call) -> Fields:
    kind = call.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _FORM:
        raise KindError(f"the body is {kind[:100]!r}, not a form ({_FORM})")
    try:
        return read_fields(call.body.decode("ascii"))
    except UnicodeDecodeError as error:
        raise RefusalError("the form is not encoded as forms are") from error


def _one(fields: Fields, name: str) -> str:
    return fields.get(name, ("",))[-1].strip()


def _text(fields: Fields, name: str) -> str:
    text = _one(fields, name)
    if not text or len(text) > _LONGEST[name] or not text.isprintable():
        raise RefusalError(f"{name}: say it in a line of up to {_LONGEST[name]} signs")
    return text


def _check_free(catalog: Catalog, model: str, channel: str, version: int) -> None:
    """Refuse what the catalog would refuse, as a fault of the form and not of the store."""
    try:
        check_name("channel", channel)
    except StoreError as error:
        raise RefusalError(str(error)) from error
    read_version(catalog, model, version)
    if gone := catalog.removal(model, version):
        raise RefusalError(f"{model}@{version} was removed by {gone.who}: {gone.why}")
    if read_tag(catalog.store, model, channel) is not None:
        raise RefusalError(f"{model}@{channel} is a tag, which does not move. Take another name")
