"""Shells complete every command and option that there is."""

import subprocess

import pytest

from pipeline.cli import COMMANDS, call


def script(shell: str, capsys) -> str:
    assert call(["completion", shell]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("pipeline ", {row.name for row in COMMANDS}),
        ("pipeline ro", {"rollout", "rollback"}),
        ("pipeline run --no", {"--no-push"}),
        ("pipeline registry ver", {"verify"}),
        ("pipeline registry pull --o", {"--out"}),
        ("pipeline rollback --v", {"--version"}),
        ("pipeline run job", set()),
    ],
)
def test_bash_completes(line, wanted, capsys):
    words = line.split(" ")
    asked = f"""
COMP_WORDS=({" ".join(word or "''" for word in words)}); COMP_CWORD={len(words) - 1}
_pipeline; printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    said = subprocess.run(
        ["bash", "-uc", script("bash", capsys) + asked], capture_output=True, text=True, check=True
    )
    assert set(said.stdout.split()) == wanted
    assert said.stderr == ""


def test_zsh_uses_what_bash_has(capsys):
    assert script("zsh", capsys).endswith(script("bash", capsys))


def test_fish_knows_where_a_word_may_stand(capsys):
    lines = script("fish", capsys).splitlines()
    (push,) = (line for line in lines if " -l no-push " in line)
    assert "'__fish_seen_subcommand_from run; and not " in push
    assert sum(" -a 'verify' " in line for line in lines) == 1


def test_another_shell_is_a_wrong_call(capsys):
    assert call(["completion", "tcsh"]) == 2
    assert "bash, zsh, fish" in capsys.readouterr().err
