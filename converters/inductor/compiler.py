"""The C++ compiler, and what it is told."""

import os
import shutil
from pathlib import Path

from converters.inductor.vectors import Vectors
from registry.errors import ConversionError
from registry.require import require


def check_compiler() -> None:
    """Refuse to begin where there is no C++ compiler.

    Raises:
        ConversionError: There is none.
    """
    name = os.environ.get("CXX", "g++")
    if shutil.which(name) is None:
        raise ConversionError(
            f"AOTInductor needs a C++ compiler, and there is no {name} here. Run: "
            "apt-get install g++; or name another one in CXX"
        )


def settings(vectors: Vectors) -> dict[str, object]:
    """Say how a program is compiled in torch's cache: for the target, with no trace of here."""
    torch = require("torch", extra="convert")
    cache = os.environ["TORCHINDUCTOR_CACHE_DIR"]
    places = {Path(str(torch.__file__)).parent: "torch", cache: "cache"}
    paths = " ".join(f"-ffile-prefix-map={place}={name}" for place, name in places.items())
    return {
        "cpp.simdlen": vectors.bits,
        "cpp.vec_isa_ok": True,
        # The flag's name is put in front; there is no other place for flags.
        "cpp.march": f"x86-64 {paths}",
        # How many there are is said when the package is loaded.
        "cpp.dynamic_threads": True,
        "compile_threads": 1,
        # They pay only where many programs are compiled with one cache.
        "aot_inductor.precompile_headers": False,
        "aot_inductor.enable_line_tables": False,
        # They would be named after the sources, in which torch writes where these lie.
        "aot_inductor.model_name_for_generated_files": "part",
    }
