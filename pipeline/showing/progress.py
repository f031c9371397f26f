"""How progress reads: amounts and durations in words, the same wherever they are shown."""

_SIZES = (("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))
_COUNTS = (("G", 1e9), ("M", 1e6), ("k", 1e3))

#: Units of which one takes about as long as another.
_ALIKE = ("bytes", "rows", "cases")


def size(count: float) -> str:
    """Write a number of bytes: '1.5 GiB'."""
    for unit, step in _SIZES:
        if abs(count) >= step:
            return f"{count / step:.1f} {unit}"
    return f"{count:.0f} B"


def amount(count: float, unit: str) -> str:
    """Write a count with its unit: '1.5 GiB', '32.0k rows', '12 cases'."""
    if unit == "bytes":
        return size(count)
    for letter, step in _COUNTS:
        if abs(count) >= step:
            return f"{count / step:.1f}{letter} {unit}"
    return f"{count:.0f} {unit}"


def counted(count: int, noun: str) -> str:
    """Write a whole number with its noun: '1 fault', '2 faults'."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def duration(seconds: float) -> str:
    """Write a time: '0.4 s', '12 s', '3 min 05 s', '2 h 10 min'."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


def how_far(done: float, total: float, unit: str, seconds: float) -> str:
    """Write how much of a work is done after some seconds, its rate, and the time left.

    Both only where one unit takes about as long as another: steps are alike in nothing.
    """
    text = f"{amount(done, unit).removesuffix(f' {unit}')} of {amount(total, unit)}"
    if unit not in _ALIKE or not done or seconds <= 0:
        return text
    left = duration((total - done) * seconds / done)
    if done < seconds and unit != "bytes":
        return f"{text}, {left} left"
    return f"{text}, {amount(done / seconds, unit)}/s, {left} left"
