"""How people name a version: MODEL, MODEL@7 or MODEL@channel."""

import re
from dataclasses import dataclass

from registry.errors import StoreError

_NAME = re.compile("[a-z0-9][a-z0-9._-]{0,63}")


@dataclass(frozen=True)
class Reference:
    """A model, and at most one of a version's number and a channel; neither is the newest."""

    model: str
    number: int | None = None
    channel: str | None = None

    def __str__(self) -> str:
        pin = self.number or self.channel
        return f"{self.model}@{pin}" if pin else self.model


def parse_reference(text: str) -> Reference:
    """Take a reference apart.

    Raises:
        StoreError: It is none.
    """
    model, at, pin = text.partition("@")
    if at and not pin:
        raise StoreError(f"{text!r}: nothing behind '@'. Write MODEL, MODEL@7 or MODEL@channel")
    check_name("model", model)
    if re.fullmatch("[0-9]{1,18}", pin):
        if int(pin) == 0:
            raise StoreError(f"{text!r}: there is no version 0, they start at 1")
        return Reference(model, number=int(pin))
    if pin:
        check_name("channel", pin)
    return Reference(model, channel=pin or None)


def is_name(name: str) -> bool:
    """Say whether a model or a channel can have a name."""
    return _NAME.fullmatch(name) is not None


def check_name(what: str, name: str) -> str:
    """Return the name of a model, channel or tag, or refuse one that cannot be one."""
    if not is_name(name):
        raise StoreError(
            f"{what} {name!r}: not a name. Take up to 64 of a-z, 0-9, '.', '_' and '-', the first "
            "of them a letter or a digit"
        )
    if what != "model" and name.isdigit():
        raise StoreError(f"{what} {name!r}: a number is a version. Take a name with a letter")
    return name
