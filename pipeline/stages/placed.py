"""Which target each part of a build is for, as stages are told it."""

from typing import Self

from pydantic import Field

from registry.composition import DENSE
from registry.signature import Frozen
from targets import AnyTarget

#: The name of the dense part where it is not cut.
WHOLE = DENSE


class Placed(Frozen):
    """A part, and the target that it is built for."""

    part: str
    target: AnyTarget


class WantedBuild(Frozen):
    """A build that a job wants: its name, and its parts in their order."""

    name: str
    parts: tuple[Placed, ...] = Field(min_length=1)

    @classmethod
    def whole(cls, target: AnyTarget) -> Self:
        """Return the build of a dense part that is not cut."""
        return cls(name=target.name, parts=(Placed(part=WHOLE, target=target),))

    def folder_of(self, part: str) -> str:
        """Say where a part's files lie in a version's folder."""
        return f"builds/{self.name}" if len(self.parts) == 1 else f"builds/{self.name}/{part}"


def part_role(part: str) -> str:
    """Name the role of a task's output that holds a part as shipped."""
    return f"part:{part}"


def exact_role(part: str) -> str:
    """Name the role of a task's output that holds a part with f32 weights."""
    return f"exact:{part}"
