"""The console script: what it loads, and what it makes of errors."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer

from pipeline import cli
from registry import errors
from registry.errors import ParityError, PlatformError

ROOT = Path(__file__).parents[3]
HEAVY = {
    "torch", "onnx", "onnxscript", "onnxruntime", "openvino", "pandas", "pyarrow", "numpy",
    "pydantic", "rich", "typer", "boto3", "yaml", "starlette", "uvicorn",
}  # fmt: skip


def python(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )


def test_help_lists_the_commands_in_order_and_imports_nothing_heavy():
    script = (
        "import sys; from pipeline import cli; code = cli.call(['--help']);"
        "sys.stderr.write(' '.join(sys.modules)); sys.exit(code)"
    )
    start = time.monotonic()
    answer = python(script)
    seconds = time.monotonic() - start
    loaded = {name.partition(".")[0] for name in answer.stderr.split()}
    assert answer.returncode == 0
    assert not loaded & HEAVY
    places = [answer.stdout.index(f"\n  {row.name} ") for row in cli.COMMANDS]
    assert places == sorted(places)
    print(f"pipeline --help took {seconds:.3f} s")


@pytest.mark.parametrize("row", cli.COMMANDS, ids=lambda row: row.name)
def test_every_command_explains_itself_without_a_framework(row):
    script = (
        "import sys; from pipeline import cli; code = cli.call(sys.argv[1:]);"
        "sys.stderr.write(' '.join(sys.modules)); sys.exit(code)"
    )
    answer = python(script, row.name, "--help")
    assert answer.returncode == 0, answer.stderr
    assert f"Usage: pipeline {row.name}" in answer.stdout
    loaded = {name.partition(".")[0] for name in answer.stderr.split()}
    assert not loaded & {"torch", "onnx", "onnxruntime", "openvino", "pandas", "pyarrow"}


def all_commands():
    for row in cli.COMMANDS:
        made = cli.load(row)
        yield row.name, made
        for name, one in getattr(made, "commands", {}).items():
            yield f"{row.name} {name}", one


def test_an_option_means_one_thing_in_all_commands():
    """`--version` and `--help` of the program itself are no options of commands."""
    kinds: dict[str, dict[tuple, list[str]]] = {}
    for name, command in all_commands():
        for one in command.params:
            for option in one.opts:
                if option.startswith("--"):
                    kind = (one.metavar, one.envvar, one.default)
                    kinds.setdefault(option, {}).setdefault(kind[:2], []).append(name)
    assert len(kinds["--store"]) == 1
    unlike = {option: found for option, found in kinds.items() if len(found) > 1}
    assert set(unlike) <= {"--out"}, unlike


def test_every_option_and_argument_is_explained():
    found = list(all_commands())
    assert len(found) > len(cli.COMMANDS)
    for name, command in found:
        assert command.help, name
        for one in command.params:
            assert getattr(one, "help", None), f"{name}: {one.name}"
            is_plain = one.is_flag if one.opts[0].startswith("-") else False
            assert one.metavar or is_plain, f"{name}: {one.name}"


def test_endless_numbers_are_refused(capsys):
    refused = set()
    for name, command in all_commands():
        wanted = ["x" for one in command.params if not one.opts[0].startswith("-")]
        for one in command.params:
            if one.metavar == "DAYS":
                assert one.max, f"{name} {one.opts}: dates end somewhere"
            if getattr(one, "min", None) is None:
                continue
            for number in ("inf", "nan"):
                assert cli.call([*name.split(), *wanted, one.opts[0], number]) == cli.USAGE
                assert f"Invalid value for '{one.opts[0]}'" in capsys.readouterr().err
                refused.add(name)
    assert {"run", "serve"} <= refused


def test_without_a_command_it_shows_the_help_and_fails(capsys):
    assert cli.call([]) == 2
    assert "Commands:" in capsys.readouterr().out


def test_the_version_is_printed(capsys):
    assert cli.call(["--version"]) == 0
    assert capsys.readouterr().out.startswith("pipeline ")


def test_an_unknown_command_is_answered_with_the_one_that_is_meant(capsys):
    assert cli.call(["pln"]) == 2
    assert "there is no command 'pln'. Did you mean 'plan'?" in capsys.readouterr().err


def test_a_command_that_is_like_no_other_is_answered_with_the_help(capsys):
    assert cli.call(["xyzzy"]) == 2
    assert "See: pipeline --help" in capsys.readouterr().err


@pytest.fixture
def command(monkeypatch):
    """Return what makes a command of a function, as the only row of the table."""

    def make(function):
        module = type(sys)("made_up_command")
        module.entry = function
        monkeypatch.setitem(sys.modules, "made_up_command", module)
        row = cli.Command("try", "made_up_command:entry", "Try.")
        monkeypatch.setattr(cli, "COMMANDS", (row,))

    return make


@pytest.mark.parametrize("kind", PlatformError.__subclasses__(), ids=lambda kind: kind.__name__)
def test_what_a_user_can_mend_is_one_line_and_its_own_exit_code(command, capsys, kind):
    def fail() -> None:
        raise kind("the thing: the fault")

    command(fail)
    assert cli.call(["try"]) == kind.exit_code
    assert capsys.readouterr().err == "error: the thing: the fault\n"


def test_exit_codes_differ():
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    codes = [kind.exit_code for kind in kinds if kind is not PlatformError]
    assert ParityError.exit_code in codes
    assert len({*codes, cli.USAGE, cli.INTERRUPTED, cli.BUG, 0, 1}) == len(codes) + 5


@pytest.mark.parametrize("name", ["x" * 300, b"x" * 300])
def test_a_file_that_the_system_refuses_is_no_bug(command, capsys, name):
    def fail() -> None:
        os.open(name, os.O_RDONLY)

    command(fail)
    assert cli.call(["try"]) == errors.ResourceError.exit_code
    error = capsys.readouterr().err
    assert error == f"error: {'x' * 300}: File name too long. Take a shorter name\n"


def test_signs_that_a_terminal_cannot_show_are_spelt_out():
    script = "from pipeline.showing.console import say; say('caf\\u00e9 \\udcff')"
    said = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        cwd=ROOT,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert said.stdout == b"caf\\xe9 \\udcff\n"


def test_anything_else_keeps_its_traceback_and_is_said_to_be_a_bug(command, capsys):
    def fail() -> None:
        raise KeyError("what is not there")

    command(fail)
    assert cli.call(["try"]) == cli.BUG
    error = capsys.readouterr().err
    assert "in fail" in error
    assert "KeyError: 'what is not there'" in error
    assert "bug: " in error


def test_ctrl_c_is_130_without_a_traceback(command, capsys):
    def fail() -> None:
        raise KeyboardInterrupt

    command(fail)
    assert cli.call(["try"]) == 130
    assert "Traceback" not in capsys.readouterr().err


def test_a_command_chooses_its_exit_code(command):
    def leave() -> None:
        raise typer.Exit(7)

    command(leave)
    assert cli.call(["try"]) == 7


def test_an_option_that_is_not_there_is_a_usage_error(command, capsys):
    def nothing() -> None:
        pass

    command(nothing)
    assert cli.call(["try", "--nothing"]) == 2
    assert "No such option" in capsys.readouterr().err


def test_a_reader_that_leaves_is_no_error():
    script = "from pipeline import cli; import sys; sys.exit(cli.call(['--help']))"
    process = subprocess.Popen(
        [sys.executable, "-c", f"import time; time.sleep(0.2); {script}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(10) == 0
