"""One user's folder, with the command line to type in it, and what must hold when it refuses."""

import contextlib
import ctypes
import io
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.cli import call
from registry.errors import PlatformError
from registry.layout import CORRUPT

ROOT = Path(__file__).parents[1]

#: Lines that name a fault of ours in place of the user's.
OURS = re.compile(r"Traceback|^bug:|fault of the platform|NoneType|object at 0x", re.MULTILINE)

#: The job that the others vary: a model with one table, of tests/bad_models.py.
SOUND = {
    "schema": 1,
    "model": "ranker",
    "source": {"kind": "torch", "factory": "bad_models:sound", "path": str(ROOT / "tests")},
    "axes": {"batch": {"min": 1, "max": 64}},
    "inputs": [
        {"name": "ids", "dtype": "int64", "shape": ["batch"], "ids": {"cardinality": 1200}},
        {"name": "x", "dtype": "float32", "shape": ["batch", 4], "range": [-1, 1]},
    ],
    "targets": [{"name": "ort", "runtime": "onnxruntime"}],
    "parity": {"conversion": {"atol": 1e-5, "rtol": 1e-5, "because": "two layers in f32"}},
    "push": {"store": "store"},
}


@dataclass(frozen=True)
class Said:
    """How a command ended."""

    code: int
    out: str
    err: str


@dataclass
class Bench:
    """A folder in which a user works, with a store that may hold something already."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def store(self) -> Path:
        return self.folder / "store"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    def write(self, name: str = "job.yaml", **blocks: object) -> Path:
        """Write the sound job with blocks replaced; None leaves one out."""
        job = {key: value for key, value in (SOUND | blocks).items() if value is not None}
        path = self.folder / name
        path.write_text(yaml.safe_dump(job, sort_keys=False))
        return path

    def call(self, *arguments: str) -> Said:
        """Run a command in this process; the stages of a run are processes all the same."""
        out, err = io.StringIO(), io.StringIO()
        before = signal.getsignal(signal.SIGTERM)
        with (
            pytest.MonkeyPatch.context() as patch,
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            patch.chdir(self.folder)
            for name, text in self.variables().items():
                patch.setenv(name, text)
            try:
                code = call(arguments)
            finally:
                signal.signal(signal.SIGTERM, before)
        return Said(code, out.getvalue(), err.getvalue())

    def run(self, *arguments: str, under: Sequence[str] = (), **options: Any) -> Said:
        """Run a command in a process of its own, or under another program."""
        process = self.start(*arguments, under=under, **options)
        out, err = process.communicate(timeout=120)
        return Said(process.returncode, out, err)

    def variables(self) -> dict[str, str]:
        """Return what a command finds in its environment."""
        own = {"PIPELINE_HOME": str(self.home), "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
        return own | self.environment

    def start(
        self, *arguments: str, under: Sequence[str] = (), **options: Any
    ) -> subprocess.Popen[str]:
        """Start a command in a process of its own, or under another program."""
        return subprocess.Popen(
            [*under, sys.executable, "-m", "pipeline.cli", *arguments],
            cwd=self.folder,
            env=os.environ | self.variables(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    def published(self) -> dict[str, bytes]:
        """Read all that is in the store, but for marks of what was found corrupt."""
        files = (path for path in sorted(self.store.rglob("*")) if path.is_file())
        found = {path.relative_to(self.store).as_posix(): path.read_bytes() for path in files}
        return {key: data for key, data in found.items() if not key.startswith(CORRUPT)}

    def refuses(self, kind: type[PlatformError], *words: str, command: tuple[str, ...]) -> Said:
        """Run a command that must fail well, and return what it said."""
        before = self.published()
        return self.failed_well(self.call(*command), kind, words, before)

    def refuses_job(self, kind: type[PlatformError], *words: str, **blocks: object) -> Said:
        """Run a variation of the sound job that must fail well, and return what it said."""
        return self.refuses(kind, *words, command=("run", self.write(**blocks).name))

    def failed_well(
        self,
        said: Said,
        kind: type[PlatformError],
        words: tuple[str, ...],
        before: dict[str, bytes],
    ) -> Said:
        """Hold what a command left against what every failure must leave."""
        print(f"exit code {said.code}\n{said.err}")
        assert said.code == kind.exit_code
        assert "error: " in said.err
        missing = [word for word in words if word not in said.err]
        assert not missing, said.err
        assert not OURS.search(said.err + said.out), said.err
        assert self.published() == before, "the store is not as it was"
        assert not list(self.home.rglob("*.partial")), "half an entry was left in the cache"
        return said


def give_up_the_rights_of_root() -> None:
    """Have permissions hold for this process too, whoever runs the tests; called after a fork."""
    prctl = ctypes.CDLL(None).prctl
    for capability in _OVERRIDING:
        prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)


_PR_CAPBSET_DROP = 24
_OVERRIDING = (1, 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
