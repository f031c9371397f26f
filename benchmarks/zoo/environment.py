"""The environment of a package: its pins, over the product's own packages."""

import hashlib
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from benchmarks.zoo.package import Package
from pipeline.toolchains.pins import read_pins
from pipeline.toolchains.place import toolchains_home

_PIP = ("--disable-pip-version-check", "--no-input", "--quiet", "--no-deps")


def python_of(package: Package) -> Path:
    """Return the interpreter of a package's environment, and build that first where it is not.

    Raises:
        RuntimeError: pip cannot install the pins.
    """
    folder = _folder(package)
    python = folder / "bin" / "python"
    if not python.exists():
        _build(package, folder)
    return python


def _folder(package: Package) -> Path:
    own = sysconfig.get_path("purelib")
    digest = hashlib.sha256(package.pins.read_bytes() + own.encode()).hexdigest()[:12]
    return toolchains_home() / "zoo" / f"{package.name}-{digest}"


def _build(package: Package, folder: Path) -> None:
    draft = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(draft, ignore_errors=True)
    _call([sys.executable, "-m", "venv", "--without-pip", str(draft)])
    if "==" in package.pins.read_text():
        pip = [sys.executable, "-m", "pip", "--python", str(draft / "bin" / "python")]
        pins = ["--require-hashes", "--requirement", str(package.pins)]
        _call([*pip, "install", *_PIP, *pins])
    (site,) = (draft / "lib").glob("python*/site-packages")
    # After the package's own, so that where both have one the pinned one counts.
    (site / "product.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    draft.rename(folder)


def _call(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}:\n{done.stderr.strip()[-2000:]}")


def versions_of(package: Package) -> str:
    """Tell what is compared: the pins, and the product's own torch and runtimes."""
    from importlib.metadata import version

    pins = {pin.name: pin.version for pin in read_pins(package.pins)}
    names = ("torch", "onnx", "onnxruntime", "openvino")
    own = (*([] if package.name in pins else [package.name]), *names)
    found = [*pins.items(), *((name, version(name)) for name in own)]
    return ", ".join(f"{name} {number}" for name, number in found)
