"""`pipeline toolchain`: the pinned environments in which stages of some targets run."""

from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.showing import console
from registry.errors import ToolchainError

if TYPE_CHECKING:
    from pipeline.toolchains import Toolchain
    from pipeline.toolchains.doctor import Finding

app = typer.Typer(
    help="List, build and check toolchains.", no_args_is_help=True, add_completion=False
)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


@app.command()
def ls(*, as_json: AsJson = False) -> None:
    """List the toolchains: what each is for, whether it is built, and its support horizon."""
    from pipeline.showing.progress import size  # noqa: PLC0415  the command's help starts fast
    from pipeline.toolchains import TOOLCHAINS  # noqa: PLC0415

    if as_json:
        console.emit({"toolchains": [_record(toolchain) for toolchain in TOOLCHAINS]})
        return
    rows = [
        (
            toolchain.name,
            _state(toolchain),
            size(toolchain.disk) if toolchain.disk else "",
            toolchain.purpose,
        )
        for toolchain in TOOLCHAINS
    ]
    console.show_table(("toolchain", "state", "disk", "for"), rows)
    for toolchain in TOOLCHAINS:
        if _state(toolchain) == "damaged":
            console.say(_damage(toolchain))
    console.say(
        "built: every pinned package is there; whether they work: pipeline toolchain doctor"
    )
    for toolchain in TOOLCHAINS:
        console.say(f"support of {toolchain.name}: {toolchain.support}")


@app.command()
def sync(
    name: Annotated[str, typer.Argument(metavar="NAME", help="See: pipeline toolchain ls")],
    *,
    as_json: AsJson = False,
) -> None:
    """Build a toolchain from its pins, unless it is there; goes on where it was stopped.

    It lies in PIPELINE_TOOLCHAINS, or in ~/.cache/model-pipeline/toolchains.
    """
    from pipeline.toolchains import find_toolchain, place  # noqa: PLC0415
    from pipeline.toolchains.build import sync as build  # noqa: PLC0415

    toolchain = find_toolchain(name)
    before = place.is_built(toolchain)
    if before:
        python = place.interpreter(toolchain)
    else:
        with console.progress_line(f"toolchain {name}") as progress:
            python = build(toolchain, progress, _say_waiting)
    if as_json:
        console.emit({"toolchain": name, "built": not before, "python": str(python)})
    else:
        console.say(f"{name}: {'was there' if before else 'built'}, {python}")


@app.command()
def doctor(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One of them.")] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Check that toolchains import and run a tiny graph here, and say what is missing."""
    from pipeline.toolchains import TOOLCHAINS, find_toolchain  # noqa: PLC0415
    from pipeline.toolchains.doctor import examine  # noqa: PLC0415

    chosen = (find_toolchain(name),) if name else TOOLCHAINS
    found = {toolchain.name: tuple(examine(toolchain)) for toolchain in chosen}
    if as_json:
        console.emit({"toolchains": {one: _records(findings) for one, findings in found.items()}})
    else:
        rows = [
            (one, finding.about, "well" if finding.well else "FAULT", finding.text)
            for one, findings in found.items()
            for finding in findings
        ]
        console.show_table(("toolchain", "checked", "", "found"), rows)
    ill = [one for one, findings in found.items() if not all(each.well for each in findings)]
    if ill:
        raise ToolchainError(f"{', '.join(ill)}: cannot be used as it is; see what was found")


def _say_waiting() -> None:
    console.note("another process is building it; waiting for that")


def _state(toolchain: "Toolchain") -> str:
    from pipeline.toolchains import place  # noqa: PLC0415

    if place.is_here(toolchain):
        return "here"
    if not place.is_built(toolchain):
        return "not built"
    return "damaged" if place.missing(toolchain) else "built"


def _damage(toolchain: "Toolchain") -> str:
    """Say what a built toolchain lacks, and how to have it again."""
    from pipeline.toolchains import place  # noqa: PLC0415

    lacking = place.missing(toolchain)
    more = f" and {len(lacking) - 3} more" if len(lacking) > 3 else ""
    return (
        f"{toolchain.name} lacks {', '.join(lacking[:3])}{more}. Run: rm -r "
        f"{place.folder_of(toolchain)} && pipeline toolchain sync {toolchain.name}"
    )


def _record(toolchain: "Toolchain") -> dict[str, str | int | list[str] | dict[str, str]]:
    return {
        "name": toolchain.name,
        "state": _state(toolchain),
        "purpose": toolchain.purpose,
        "python": toolchain.python,
        "isa": list(toolchain.isa),
        "pins": {pin.name: pin.version for pin in toolchain.pins()},
        "disk": toolchain.disk,
        "support": toolchain.support,
    }


def _records(findings: "tuple[Finding, ...]") -> list[dict[str, str | bool]]:
    return [{"about": one.about, "well": one.well, "text": one.text} for one in findings]
