"""What is said of a version after it was committed: a name that stays, or that it is gone."""

from datetime import datetime

from pydantic import Field

from registry.signature import Frozen


class Tag(Frozen):
    """A name of one version that never moves; it keeps the version from being retired by a rule.

    Attributes:
        signature: Of who gave it, a sigstore bundle; None where that did not sign.
    """

    name: str
    version: int = Field(ge=1)
    who: str
    why: str
    when: datetime
    signature: str | None = None


class Removal(Frozen):
    """A version is no longer to be used, and its bytes may go.

    The commit object stays: what it was can still be read, and its number is never given again.
    """

    version: int = Field(ge=1)
    who: str
    why: str
    when: datetime
