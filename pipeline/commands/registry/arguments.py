"""What `pipeline registry`'s commands are told alike."""

from typing import Annotated

import typer

Ref = Annotated[str, typer.Argument(metavar="REF", help="MODEL, MODEL@7 or MODEL@CHANNEL.")]
