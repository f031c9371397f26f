"""The options of commands that load versions on this host: the same everywhere."""

from typing import Annotated

import typer

from pipeline.commands.reason import said

Target = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The build to take; else the first that this host can run."),
]
Threads = Annotated[
    int,
    typer.Option(
        min=0,
        max=1024,
        metavar="N",
        help="Of one inference; 0 takes what it was validated with.",
    ),
]
Channel = Annotated[str, typer.Option(metavar="NAME", help="The channel that servers follow.")]
Environment = Annotated[
    str, typer.Option("--to", metavar="ENVIRONMENT", help="Where it goes live.")
]
Earlier = Annotated[
    int | None,
    typer.Option("--version", min=1, metavar="N", help="The one to go back to; else the last."),
]
Why = Annotated[
    str, typer.Option(metavar="TEXT", help="The reason, for the channel's history.", callback=said)
]
