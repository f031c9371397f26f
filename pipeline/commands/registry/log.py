"""`pipeline registry log`: the history of channels."""

from typing import Annotated

import typer

from pipeline.commands.store_options import DEFAULT_STORE, AsJson, Endpoint, StoreUrl, open_catalog
from pipeline.commands.version_text import moment, plain
from pipeline.showing import console
from registry.errors import StoreError
from registry.reference import parse_reference


def log(
    reference: Annotated[
        str, typer.Argument(metavar="MODEL[@CHANNEL]", help="A model, or one channel.")
    ],
    *,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Show who moved a channel, or all of a model's, where, when and why; the newest first."""
    wanted = parse_reference(reference)
    if wanted.number is not None:
        raise StoreError(f"{reference!r} names a version. Write MODEL or MODEL@CHANNEL")
    catalog = open_catalog(store, endpoint)
    names = [wanted.channel] if wanted.channel else catalog.channels(wanted.model)
    moves = [move for name in names for move in catalog.history(wanted.model, name)]
    if not moves:
        catalog.resolve(reference)  # says what is missing
    moves.sort(key=lambda move: (move.when, move.number), reverse=True)
    if as_json:
        console.emit({"model": wanted.model, "moves": [m.model_dump(mode="json") for m in moves]})
        return
    rows = [
        (
            m.channel,
            str(m.number),
            moment(m.when),
            str(m.previous or ""),
            "dropped" if m.dropped else str(m.version),
            m.who,
            m.environment or "",
            m.why,
        )
        for m in moves
    ]
    header = ("channel", "move", "when", "from", "to", "who", "rollout to", "why")
    console.show_table(header, [tuple(map(plain, row)) for row in rows])
