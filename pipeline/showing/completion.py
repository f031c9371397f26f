"""Scripts for shells, from every word that can stand after `pipeline`."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Word:
    """A command or an option.

    Attributes:
        path: The commands that it stands after: `("registry", "ls")`.
    """

    path: tuple[str, ...]
    text: str
    help: str


def for_bash(words: tuple[Word, ...]) -> str:
    """Write a function that looks at the commands so far; files where no word fits."""
    cases = "".join(
        f"        {shlex.quote(' '.join(path))}) words={shlex.quote(' '.join(texts))} ;;\n"
        for path, texts in _by_path(words).items()
        if path
    )
    first = shlex.quote(" ".join(_by_path(words)[()]))
    groups = "|".join(sorted({word.path[0] for word in words if len(word.path) == 2}))
    return f"""\
# What completes `pipeline` in bash. Made by: pipeline completion bash
_pipeline() {{
    local words='' path=${{COMP_WORDS[1]}} current=${{COMP_WORDS[COMP_CWORD]}}
    case $path in
        {groups}) [ "$COMP_CWORD" -gt 2 ] && path="$path ${{COMP_WORDS[2]}}" ;;
    esac
    [ "$COMP_CWORD" -eq 1 ] && path=''
    case $path in
        '') words={first} ;;
{cases}    esac
    case $path:$current in
        :*|*:-*) ;;
        {groups.replace("|", ":*|")}:*) ;;
        *) words='' ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _pipeline pipeline
"""


def for_zsh(words: tuple[Word, ...]) -> str:
    """Use what bash has, as zsh can."""
    return f"autoload -U +X bashcompinit && bashcompinit\n{for_bash(words)}"


def for_fish(words: tuple[Word, ...]) -> str:
    """Write a line a word, with its help."""
    groups = {word.path[0] for word in words if len(word.path) == 2}
    inner = {
        group: [word.text for word in words if word.path == (group,) and word.text[0] != "-"]
        for group in sorted(groups)
    }
    lines = ["# What completes `pipeline` in fish. Made by: pipeline completion fish"]
    for word in words:
        is_option = word.text.startswith("--")
        what = f"-l {word.text[2:]}" if is_option else f"-f -a {_fish(word.text)}"
        when = _fish(_after(word, inner))
        lines.append(f"complete -c pipeline -n {when} {what} -d {_fish(word.help)}")
    return "\n".join(lines) + "\n"


def _after(word: Word, inner: dict[str, list[str]]) -> str:
    """Say to fish which commands have to stand before a word, and which must not."""
    if not word.path:
        return "__fish_use_subcommand"
    seen = [f"__fish_seen_subcommand_from {one}" for one in word.path]
    group = word.path[0]
    others = [*inner.get(group, [])] if len(word.path) == 1 and group in inner else []
    others += [one for one in inner if one != group]
    unseen = [f"not __fish_seen_subcommand_from {' '.join(others)}"] if others else []
    return "; and ".join([*seen, *unseen])


def _fish(text: str) -> str:
    escaped = " ".join(text.split()).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _by_path(words: tuple[Word, ...]) -> dict[tuple[str, ...], list[str]]:
    found: dict[tuple[str, ...], list[str]] = {}
    for word in words:
        found.setdefault(word.path, []).append(word.text)
    return found


SHELLS: dict[str, Callable[[tuple[Word, ...]], str]] = {
    "bash": for_bash,
    "zsh": for_zsh,
    "fish": for_fish,
}
