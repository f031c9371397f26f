"""How figures read on the pages."""

from datetime import UTC, datetime

_SIZES = (("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))


def size(count: float) -> str:
    """Write a number of bytes: '1.5 GiB'."""
    for unit, step in _SIZES:
        if count >= step:
            return f"{count / step:.1f} {unit}"
    return f"{count:.0f} B"


def moment(when: datetime) -> str:
    """Write a time in UTC, to the minute."""
    return when.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def machine_time(when: datetime) -> str:
    """Write a time for machines."""
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def error_text(number: float | None) -> str:
    """Write an error: 'none', '0', '3.2e-07', '0.0125'."""
    if number is None:
        return "none"
    return f"{number:.2g}" if number else "0"


def latency(seconds: float | None) -> str:
    """Write how long an answer takes: 'none', '0.085 ms', '12.4 ms', '1.32 s'."""
    if seconds is None:
        return "none"
    number, unit = (seconds, "s") if seconds >= 1 else (seconds * 1000, "ms")
    digits = 3 if number < 0.1 else 2 if number < 10 else 1
    return f"{number:.{digits}f} {unit}"


def counted(count: int, noun: str) -> str:
    """Write a whole number with its noun: '1 version', '2 versions'."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def plain(text: str) -> str:
    """Show text from a store with nothing in it that could turn a line round or hide."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "�" for sign in text)
