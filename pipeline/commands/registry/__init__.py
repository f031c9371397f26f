"""`pipeline registry`: look into a store, and bring versions out of it."""

from collections.abc import Callable

import typer

from pipeline.commands.registry.log import log
from pipeline.commands.registry.ls import ls
from pipeline.commands.registry.pull import pull
from pipeline.commands.registry.show import show
from pipeline.commands.registry.verify import verify

#: In the order of the help.
COMMANDS: tuple[Callable[..., None], ...] = (ls, show, pull, verify, log)

app = typer.Typer(
    help="List, show, pull and verify versions.", no_args_is_help=True, add_completion=False
)
for command in COMMANDS:
    app.command()(command)
