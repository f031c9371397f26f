"""`pipeline registry`: look into a store, and bring versions out of it."""

from collections.abc import Callable

import typer

from pipeline.commands.registry.cp import cp
from pipeline.commands.registry.diff import diff
from pipeline.commands.registry.doctor import doctor
from pipeline.commands.registry.drop import drop
from pipeline.commands.registry.du import du
from pipeline.commands.registry.export import export
from pipeline.commands.registry.gc import gc
from pipeline.commands.registry.importing import import_
from pipeline.commands.registry.log import log
from pipeline.commands.registry.ls import ls
from pipeline.commands.registry.promote import promote
from pipeline.commands.registry.pull import pull
from pipeline.commands.registry.remove import rm
from pipeline.commands.registry.rollback import rollback
from pipeline.commands.registry.search import search
from pipeline.commands.registry.serve import serve
from pipeline.commands.registry.show import show
from pipeline.commands.registry.sign import sign
from pipeline.commands.registry.tag import tag
from pipeline.commands.registry.trust import trust
from pipeline.commands.registry.verify import verify

#: In the order of the help.
COMMANDS: tuple[Callable[..., None], ...] = (
    ls,
    show,
    search,
    diff,
    du,
    log,
    serve,
    promote,
    rollback,
    drop,
    tag,
    pull,
    cp,
    import_,
    export,
    verify,
    sign,
    rm,
    gc,
    doctor,
)

app = typer.Typer(
    help="Look into a store, move its channels, bring versions out of it.",
    no_args_is_help=True,
    add_completion=False,
)
for command in COMMANDS:
    app.command(command.__name__.rstrip("_"))(command)
app.add_typer(trust, name="trust")
