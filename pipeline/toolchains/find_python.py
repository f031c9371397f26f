"""Find a Python that a toolchain's packages exist for."""

import platform
import shutil
import subprocess
import sys
from pathlib import Path

from packaging.specifiers import SpecifierSet

from pipeline.toolchains.toolchain import Toolchain
from registry.errors import ToolchainError

#: Minor versions of Python that are looked for on PATH.
_MINORS = range(9, 20)


def find_python(toolchain: Toolchain) -> Path:
    """Return this Python where it fits, or else the first on PATH that does.

    Raises:
        ToolchainError: There is none.
    """
    wanted = SpecifierSet(toolchain.python)
    if platform.python_version() in wanted:
        return Path(sys.executable)
    for minor in _MINORS:
        found = shutil.which(f"python3.{minor}")
        if found and _version(found) in wanted:
            return Path(found)
    raise ToolchainError(
        f"toolchain {toolchain.name} needs Python {toolchain.python}; this is "
        f"{platform.python_version()}, and there is no other on PATH. Install one"
    )


def _version(python: str) -> str:
    """Ask a Python for its version; '0' where it does not answer."""
    call = [python, "-c", "import platform; print(platform.python_version())"]
    done = subprocess.run(call, capture_output=True, text=True, check=False)  # noqa: S603  of PATH
    return done.stdout.strip() or "0"
