"""`pipeline completion`: what a shell needs to complete commands and options."""

from collections.abc import Callable
from typing import Annotated

import typer

from pipeline.cli import COMMANDS, load
from pipeline.showing import console
from pipeline.showing.completion import SHELLS, Word


def completion(
    shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
) -> None:
    """Print a script that completes commands, options and files.

    bash: source <(pipeline completion bash), in ~/.bashrc.
    zsh: source <(pipeline completion zsh), in ~/.zshrc after compinit.
    fish: pipeline completion fish > ~/.config/fish/completions/pipeline.fish.
    """
    write: Callable[[tuple[Word, ...]], str] | None = SHELLS.get(shell)
    if write is None:
        raise typer.BadParameter(f"{shell!r} is none of {', '.join(SHELLS)}")
    console.say(write(_words()).rstrip())


def _words() -> tuple[Word, ...]:
    """Collect every command and option from the commands themselves."""
    words = []
    for row in COMMANDS:
        words.append(Word((), row.name, row.help))
        made = load(row)
        inner = getattr(made, "commands", {})
        words += [Word((row.name,), name, one.short_help or "") for name, one in inner.items()]
        for path, one in [((row.name,), made), *(((row.name, n), c) for n, c in inner.items())]:
            words += [
                Word(path, option, getattr(parameter, "help", None) or "")
                for parameter in one.params
                for option in parameter.opts
                if option.startswith("--")
            ]
            words.append(Word(path, "--help", "Show what there is."))
    return tuple(words)
