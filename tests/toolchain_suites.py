"""Run the suites of a toolchain's rows in it: `python -m tests.toolchain_suites NAME PATH`."""

import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from pipeline.toolchains import CURRENT, find_toolchain
from pipeline.toolchains.place import interpreter

ROOT = Path(__file__).resolve().parents[1]

#: The toolchain that these tests run in.
HERE = os.environ.get("TOOLCHAIN", CURRENT)

#: Of this environment's packages only these are lent: more would change what is tested.
_LENT = ("pytest", "_pytest", "pluggy", "iniconfig", "py.py", "pytest_timeout.py")


def run_suites(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pytest inside of a toolchain, without the fixtures of `tests/conftest.py`."""
    python = interpreter(find_toolchain(name))
    with tempfile.TemporaryDirectory() as folder:
        for package in _LENT:
            path = Path(sysconfig.get_path("purelib")) / package
            (Path(folder) / package).symlink_to(path)
        paths = os.pathsep.join((str(ROOT), folder))
        call = [str(python), "-P", "-m", "pytest", "-p", "pytest_timeout", "--noconftest"]
        environment = {"TOOLCHAIN": name, "OMP_NUM_THREADS": "1", "PYTHONPATH": paths}
        return subprocess.run(
            [*call, "-p", "no:cacheprovider", *arguments],
            cwd=ROOT,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )


if __name__ == "__main__":
    done = run_suites(sys.argv[1], *sys.argv[2:])
    sys.stdout.write(done.stdout + done.stderr)
    sys.exit(done.returncode)
