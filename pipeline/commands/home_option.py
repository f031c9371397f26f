"""The option that says where this product keeps its own things: the same everywhere."""

from pathlib import Path
from typing import Annotated

import typer

#: Of the current folder.
DEFAULT_HOME = Path(".pipeline")

Home = Annotated[
    Path,
    typer.Option(
        envvar="PIPELINE_HOME",
        metavar="FOLDER",
        help="Where the cache, runs and pulled versions are, and where servers are found.",
    ),
]
