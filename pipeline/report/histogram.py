"""Where the errors of an output lie: how many elements by power of ten."""

from dataclasses import dataclass
from math import log10

from registry.manifest import Numbers

EXACT, INFINITE = -99, 99


@dataclass(frozen=True)
class Bar:
    """One bar; `height` is 0 to 1 on a logarithmic scale of counts, so that one element shows."""

    label: str
    count: int
    height: float


def histogram(numbers: Numbers) -> tuple[Bar, ...]:
    """Return the bars from exact to infinite, with empty ones between those that are not."""
    counts = numbers.histogram
    powers = [power for power in counts if power not in (EXACT, INFINITE)]
    between = range(min(powers), max(powers) + 1) if powers else ()
    ends = [power for power in (EXACT, INFINITE) if power in counts]
    order = [p for p in ends if p == EXACT] + list(between) + [p for p in ends if p == INFINITE]
    tallest = max((len(str(count)) for count in counts.values()), default=1)
    return tuple(
        Bar(_label(power), counts.get(power, 0), _height(counts.get(power, 0), tallest))
        for power in order
    )


def _label(power: int) -> str:
    return {EXACT: "equal", INFINITE: "∞"}.get(power, f"1e{power}")


def _height(count: int, digits: int) -> float:
    return (log10(count) + 0.3) / (digits + 0.3) if count else 0.0
