"""What a move of a channel came to."""

from pipeline.showing import console
from registry.manifest import Move


def show_move(model: str, move: Move, *, already: bool, as_json: bool) -> None:
    """Print where a channel points now, and where it pointed before."""
    if as_json:
        console.emit(move.model_dump(mode="json") | {"model": model, "already": already})
        return
    before = f", before it was {move.previous}" if move.previous and not already else ""
    state = " already" if already else ""
    console.say(f"{model}@{move.channel} is version {move.version}{state}{before}")
