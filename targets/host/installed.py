"""Which version of a runtime is installed."""

from importlib.metadata import PackageNotFoundError, version

from registry.errors import MissingExtraError


def installed_version(package: str, extra: str) -> str:
    """Return the version without importing the package.

    Raises:
        MissingExtraError: It is not installed.
    """
    try:
        return version(package)
    except PackageNotFoundError as error:
        raise MissingExtraError(
            f"{package} is not installed. Run: pip install 'model-pipeline[{extra}]'"
        ) from error
