"""What the keys of a store alone tell of its models, however many there are."""

from registry.layout import number_of
from registry.listing.listing import Numbered


class Glance:
    """Takes note of versions while a store is listed, so that it need not look at each.

    Attributes:
        versions, removed: By model and number.
    """

    def __init__(self) -> None:
        self.versions: set[Numbered] = set()
        self.removed: set[Numbered] = set()

    def is_move(self, key: str) -> bool:
        """Say whether an object has to be looked at: a move of a channel; note what else it is."""
        match key.split("/"):
            case [_, model, "versions", name] if number := number_of(name):
                self.versions.add((model, number))
            case [_, model, "removed", name] if number := number_of(name):
                self.removed.add((model, number))
            case [_, _, "channels", _, _]:
                return True
        return False
