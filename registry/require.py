"""Import a framework where it is used, with a message that helps where it is not there."""

import sys
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType, ModuleType

from registry.errors import MissingExtraError

#: Packages through which a framework reports its use to its maker unless they are missing.
REPORTERS: Mapping[str, tuple[str, ...]] = MappingProxyType({"openvino": ("openvino_telemetry",)})


def require(module: str, *, extra: str) -> ModuleType:
    """Import a module that an extra of this package brings; it does not phone home."""
    quieten(module)
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{module} is not installed in {sys.prefix}, where this runs. Run there: "
            f"pip install 'model-pipeline[{extra}]'"
        ) from error


def quieten(module: str) -> None:
    """Keep a framework that will be imported from reporting its use."""
    for reporter in REPORTERS.get(module, ()):
        # Python's own way to say that a module is not there; the framework has a stub for it.
        sys.modules.setdefault(reporter, None)  # type: ignore[arg-type]
