"""Bad input by the hundred at every command: always an error in words, never a traceback."""

import io
import random
import zipfile

import numpy as np
import pytest

from pipeline import cli
from registry import Catalog
from registry.store import open_store
from tests.versions import write_draft

ODD = (
    "", "-1", "nan", "x" * 300, "/dev/null", "é", "a\nb", "\x1b[31m", "\udcff", "{", "m:f",
    "ranker@", "ranker@0", "ranker@-1", "ranker@99999999999999999999", "@", "a@b@c", "s3://",
    "file://", "ftp://x", "nowhere/deep", "job.yaml", "store", "circle",
)  # fmt: skip

#: These go on until they are stopped, or build environments of gigabytes.
ENDLESS = ("serve", "registry serve", "toolchain sync", "toolchain doctor")

LOOKS = (
    ("ls",), ("ls", "ranker"), ("show", "ranker"), ("log", "ranker"), ("verify",),
    ("verify", "ranker@1", "--json"), ("pull", "ranker", "--out", "pulled"), ("ls", "--json"),
)  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PIPELINE_HOME", str(tmp_path / "home"))
    for name in ("PIPELINE_STORE", "PIPELINE_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "job.yaml").write_text("schema: 1\n")
    (tmp_path / "draft").mkdir()
    draft = write_draft(tmp_path / "draft", 1, runtimes=("onnxruntime",))
    Catalog(open_store("store")).publish(draft, tmp_path / "draft")
    return tmp_path


@pytest.fixture
def throw(capsys):
    def throw(*arguments: str) -> int:
        code = cli.call(arguments)
        said = capsys.readouterr()
        assert code != cli.BUG, f"{arguments}: {said.err}"
        assert "Traceback" not in said.err, arguments
        assert code == 0 or said.err.strip(), f"{arguments}: fails without a word"
        return code

    return throw


def commands():
    for row in cli.COMMANDS:
        made = cli.load(row)
        inner = getattr(made, "commands", {})
        found = [(f"{row.name} {name}", one) for name, one in inner.items()] or [(row.name, made)]
        yield from ((name, one) for name, one in found if name not in ENDLESS)


def arguments_of(command, draw: random.Random) -> list[str]:
    """Give every argument and some of the options an odd value each."""
    given = []
    for one in command.params:
        if not one.opts[0].startswith("-"):
            given.append(draw.choice(ODD))
        elif one.name != "help" and (one.required or draw.random() < 0.3):
            given += [one.opts[-1], *([] if one.is_flag else [draw.choice(ODD)])]
    return given


def test_odd_arguments(folder, throw):
    draw = random.Random(1)
    codes = {
        throw(*name.split(), *arguments_of(command, draw))
        for name, command in commands()
        for _ in range(8)
    }
    assert len(codes) > 4, "the values are to reach different ends"


def test_stores_that_were_damaged(folder, throw):
    draw = random.Random(2)
    files = sorted(path for path in (folder / "store").rglob("*") if path.is_file())
    codes = set()
    for path in files:
        whole = path.read_bytes()
        path.chmod(0o644)
        for damaged in (b"", whole[: len(whole) // 2], b"\x00" + whole, whole.replace(b"1", b"[")):
            path.write_bytes(damaged)
            codes.add(throw("registry", *draw.choice(LOOKS), "--store", "store"))
        path.unlink()
        path.mkdir()
        codes.add(throw("registry", *draw.choice(LOOKS), "--store", "store"))
        path.rmdir()
        path.write_bytes(whole)
    assert throw("registry", "verify", "--store", "store") == 0
    assert {0, 17} <= codes


def test_samples_that_were_damaged(folder, throw):
    draw = random.Random(3)
    sound = {"dense": np.zeros((5, 3), "f4"), "ids": np.zeros((5, 2), "i8")}
    stream = io.BytesIO()
    np.savez(stream, **sound)
    whole = stream.getvalue()
    codes = set()
    for at in range(40):
        hurt = bytearray(whole)
        for _ in range(1 + at % 4):
            hurt[draw.randrange(len(hurt))] = draw.randrange(256)
        (folder / "s.npz").write_bytes(hurt[: draw.randrange(len(hurt))] if at % 3 else hurt)
        codes.add(throw("predict", "ranker", "--store", "store", "--input", "s.npz"))
    assert 23 in codes
    with zipfile.ZipFile(folder / "s.npz", "w") as archive:
        archive.writestr("dense.npy", b"\x93NUMPY\x01\x00\xff\xff{'descr': '<f4', ")
    assert throw("predict", "ranker", "--store", "store", "--input", "s.npz") == 23
