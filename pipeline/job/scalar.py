"""What an unquoted scalar stands for: YAML 1.2's core schema, without what readers disagree on."""

import re
from collections.abc import Callable

from pipeline.job.node import Scalar

_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}

_NUMBERS: tuple[tuple[re.Pattern[str], Callable[[str], Scalar]], ...] = (
    (re.compile(r"[-+]?[0-9]+"), int),
    (re.compile(r"0x[0-9a-fA-F]+"), lambda text: int(text, 16)),
    (re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"), float),
    (re.compile(r"[-+]?\.(inf|Inf|INF)"), lambda text: float(text.replace(".", ""))),
    (re.compile(r"\.(nan|NaN|NAN)"), lambda _: float("nan")),
)

#: Unquoted text that YAML readers take differently, and what to write instead.
_DOUBTFUL: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile("yes|on", re.IGNORECASE),
        '`{0}` is true for some YAML readers and text for others; write true or "{0}"',
    ),
    (
        re.compile("no|off", re.IGNORECASE),
        '`{0}` is false for some YAML readers and text for others; write false or "{0}"',
    ),
    (
        re.compile(r"[-+]?0[0-9_]+|[-+]?0o[0-7_]+"),
        '`{0}` is octal for some YAML readers; write the number in decimal, or "{0}" for text',
    ),
    (
        re.compile(r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?"),
        '`{0}` counts in sixties for some YAML readers; write the number, or "{0}" for text',
    ),
    (
        re.compile(r"[-+]?[0-9][0-9_]*_[0-9_.]*|[-+]?0b[01_]+|[-+]?0x[0-9a-fA-F_]*_[0-9a-fA-F_]*"),
        '`{0}` is a number for some YAML readers only; write it in plain digits, or "{0}" for text',
    ),
)


def resolve(text: str) -> Scalar:
    """Read an unquoted scalar.

    Raises:
        ValueError: YAML readers disagree on it, or it does not fit into 64 bits. The
            message is for the user.
    """
    if text in _WORDS:
        return _WORDS[text]
    for pattern, message in _DOUBTFUL:
        if len(text) < 64 and pattern.fullmatch(text):
            raise ValueError(message.format(text))
    for pattern, read in _NUMBERS:
        if pattern.fullmatch(text):
            return _fitting(text, read)
    return text


def _fitting(text: str, read: Callable[[str], Scalar]) -> Scalar:
    shown = text if len(text) < 24 else f"{text[:20]}…"
    value = read(text) if len(text) < 400 else None
    if value is None or (isinstance(value, int) and not -(1 << 63) <= value < 1 << 63):
        raise ValueError(f"`{shown}` does not fit into 64 bits; put it in quotes if it is text")
    return value
