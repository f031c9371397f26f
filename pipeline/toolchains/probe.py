"""Try a toolchain from inside: `<its python> -P -m pipeline.toolchains.probe NAME`.

Prints one JSON object on its last line: the version of each package that was imported, or the
fault, and what the tiny graph said. Knows nothing but the standard library before it imports.
"""

import json
import sys
from collections.abc import Mapping
from importlib import import_module, metadata

from pipeline.toolchains import find_toolchain
from registry.require import quieten


def main(name: str) -> None:
    """Import each module, then compute the tiny graph."""
    toolchain = find_toolchain(name)
    imported = {package: _try(package, module) for package, module in toolchain.modules.items()}
    said: str | None = None
    fault: str | None = None
    if all(version for version, _ in imported.values()):
        try:
            said = toolchain.probe()
        except Exception as error:  # noqa: BLE001  told to the one who asked
            fault = f"{type(error).__name__}: {error}"
    _print({"imported": imported, "said": said, "fault": fault})


def _try(package: str, module: str) -> tuple[str | None, str | None]:
    """Return the package's version, or why its module does not import."""
    quieten(module)
    try:
        import_module(module)
        return metadata.version(package), None
    except Exception as error:  # noqa: BLE001  native libraries raise what they like
        return None, f"{type(error).__name__}: {error}"


def _print(found: Mapping[str, object]) -> None:
    sys.stdout.write(f"\n{json.dumps(found)}\n")


if __name__ == "__main__":
    main(sys.argv[1])
