"""Import a framework where it is used, with a message that helps where it is not there."""

from importlib import import_module
from types import ModuleType

from registry.errors import MissingExtraError


def require(module: str, *, extra: str) -> ModuleType:
    """Import a module that an extra of this package brings."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{module} is not installed. Run: pip install 'model-pipeline[{extra}]'"
        ) from error
