"""Small toolchains that tests build for real, from wheels that they make."""

import base64
import hashlib
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.toolchains.toolchain import Toolchain


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def write_wheel(folder: Path, name: str, code: str, version: str = "1.0") -> Path:
    """Write a wheel with one module."""
    folder.mkdir(parents=True, exist_ok=True)
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": code,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nTag: py3-none-any\n"
        "Root-Is-Purelib: true\n",
    }
    record = "".join(
        f"{file},sha256={digest(text.encode())},{len(text.encode())}\n"
        for file, text in files.items()
    )
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n"
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file, text in files.items():
            archive.writestr(zipfile.ZipInfo(file), text)
    return wheel


@pytest.fixture
def small(tmp_path, monkeypatch) -> Callable[..., Toolchain]:
    """Return what makes a toolchain of one package, `tinypack`, that pip finds in a folder."""
    monkeypatch.setenv("PIPELINE_TOOLCHAINS", str(tmp_path / "toolchains"))
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "shop"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")

    class Small(Toolchain):
        @property
        def file(self) -> Path:
            return tmp_path / f"{self.name}.txt"

    def make(
        code: str = "answer = 42\n", version: str = "1.0", probe=lambda: "42", **more: object
    ) -> Toolchain:
        wheel = write_wheel(tmp_path / "shop", "tinypack", code, version)
        found = hashlib.sha256(wheel.read_bytes()).hexdigest()
        (tmp_path / "small.txt").write_text(
            f"# of tests\ntinypack=={version} \\\n    --hash=sha256:{found}\n"
        )
        fields = {
            "name": "small",
            "purpose": "tests",
            "python": ">=3.9",
            "pinned": True,
            "modules": {"tinypack": "tinypack"},
            "probe": probe,
            "runtimes": (),
            "isa": (),
            "download": 1,
            "disk": 1,
            "support": "none",
        }
        return Small(**fields | more)

    return make
