"""That values inside a model are brought to int8 by what recorded samples showed of them."""

from typing import Literal

from pydantic import Field

from registry.signature import Frozen


class Calibrated(Frozen):
    """Scales that are found once, before a part is converted.

    Attributes:
        samples: Recorded rows that are run through the model, at most.
        bits: Of a value: 8 where the CPU adds up products of bytes in 32 bits (VNNI); with 7, what
            other CPUs add up in 16 bits cannot overflow.
    """

    samples: int = Field(ge=1)
    bits: Literal[7, 8]

    def __str__(self) -> str:
        return f"on {self.samples} samples at {self.bits} bits"
