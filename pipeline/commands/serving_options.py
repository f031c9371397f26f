"""The options of commands that load versions on this host: the same everywhere."""

from pathlib import Path
from typing import Annotated

import typer

#: The current folder's home, where `pipeline run` keeps its own things too.
DEFAULT_CACHE = Path(".pipeline")

Cache = Annotated[
    Path,
    typer.Option(
        envvar="PIPELINE_HOME",
        metavar="FOLDER",
        help="Where versions are kept, and where servers and rollouts find each other.",
    ),
]
Target = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The build to take; else the first that this host can run."),
]
Threads = Annotated[
    int, typer.Option(min=0, max=1024, help="Of one inference; 0 takes what it was validated with.")
]
Channel = Annotated[str, typer.Option(metavar="NAME", help="The channel that servers follow.")]
Why = Annotated[str, typer.Option(metavar="TEXT", help="The reason, for the channel's history.")]
