"""What `pipeline registry`'s commands are told alike."""

from typing import Annotated

import typer

from pipeline.commands.reason import said

Ref = Annotated[
    str, typer.Argument(metavar="REF", help="MODEL, MODEL@7, MODEL@CHANNEL or MODEL@TAG.")
]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="The model's name.")]
Why = Annotated[
    str, typer.Option(metavar="TEXT", help="The reason, for the history.", callback=said)
]
