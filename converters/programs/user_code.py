"""Import a user's module and call what it names, which the job gives permission to do."""

import ast
import contextlib
import difflib
import importlib
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

from registry.errors import SourceError


@contextlib.contextmanager
def importable(folder: Path) -> Iterator[None]:
    """Let modules be imported from a folder, first of all, while the block runs."""
    entry = str(folder.resolve())
    sys.path.insert(0, entry)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):
            sys.path.remove(entry)


def load_callable(factory: str, folder: Path) -> Callable[..., object]:
    """Import `module:callable`; call it within `importable(folder)`.

    Raises:
        SourceError: There is no such module or callable, or importing it raises.
    """
    name, _, attribute = factory.partition(":")
    module = _import(name, folder)
    found: object = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            close = difflib.get_close_matches(part, dir(found), 1)
            hint = f"; did you mean '{close[0]}'?" if close else ""
            raise SourceError(f"factory {factory}: {name} has no '{part}'{hint}")
        found = getattr(found, part)
    if not callable(found):
        raise SourceError(f"factory {factory}: is of type {type(found).__name__}, not a callable")
    return found


def raised(what: str, error: BaseException, folder: Path) -> SourceError:
    """Say what user code raised, and in which of its lines."""
    last = traceback.format_exception_only(error)[-1].strip()
    return SourceError(f"{what} raised{_place(error, folder)}: {last}")


def _place(error: BaseException, folder: Path) -> str:
    """Name the innermost line of the user's: where the text is no Python, the text's own."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [(frame.filename, frame.lineno, frame.line) for frame in frames]
    if isinstance(error, SyntaxError) and error.filename:
        lines.append((error.filename, error.lineno, error.text))
    theirs = [line for line in lines if _inside(line[0], folder)]
    if not theirs:
        return ""
    file, number, text = theirs[-1]
    return f" at {file}:{number} ({(text or '').strip()})"


def local_files(factory: str, folder: Path) -> tuple[Path, ...]:
    """List the Python files below the folder that importing the factory would read.

    Found by reading, not by running: imports that are computed are not seen.
    """
    found: dict[Path, None] = {}
    waiting = [factory.partition(":")[0]]
    while waiting:
        for file in _files_of(waiting.pop(), folder):
            if file not in found:
                found[file] = None
                waiting += _imports(file, folder)
    return tuple(sorted(found))


def _import(name: str, folder: Path) -> ModuleType:
    top = name.partition(".")[0]
    local = folder.resolve() / top
    own = local.is_dir() or local.with_suffix(".py").is_file()
    if own and top in sys.modules and not _inside(_file_of(sys.modules[top]), folder):
        if not _is_forgettable(sys.modules[top]):
            raise SourceError(
                f"module {top} in {folder} has the name of an installed package: rename it"
            )
        for known in [one for one in sys.modules if one.partition(".")[0] == top]:
            del sys.modules[known]
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or name.partition(".")[0] != error.name.partition(".")[0]:
            raise raised(f"importing {name}", error, folder) from error
        raise SourceError(
            f"module {name} is not there{_similar(top, folder)}: looked in {folder} and in the"
            " installed packages. Set source.path to the folder that it lies in"
        ) from error
    except (Exception, SystemExit) as error:
        raise raised(f"importing {name}", error, folder) from error


def _is_forgettable(module: ModuleType) -> bool:
    """Tell whether a module was imported from the folder of another job."""
    file = Path(_file_of(module))
    ours = Path(__file__).resolve().parents[2]
    packages = [ours / one for one in ("converters", "pipeline", "registry", "targets")]
    installed = "site-packages" in file.parts or file.is_relative_to(Path(sys.base_prefix))
    return bool(file.name) and not installed and not any(map(file.is_relative_to, packages))


def _file_of(module: ModuleType) -> str:
    return getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", [])), "")


def _inside(file: str, folder: Path) -> bool:
    return bool(file) and Path(file).resolve().is_relative_to(folder.resolve())


def _similar(name: str, folder: Path) -> str:
    there = [file.stem for file in folder.glob("*.py")] if folder.is_dir() else []
    close = difflib.get_close_matches(name, there, 1)
    return f" (did you mean {close[0]}?)" if close else ""


def _files_of(name: str, folder: Path) -> list[Path]:
    """Give the file of a local module and the `__init__.py` of each package above it."""
    parts = name.split(".")
    files = [folder.joinpath(*parts[:depth], "__init__.py") for depth in range(1, len(parts) + 1)]
    files.append(folder.joinpath(*parts).with_suffix(".py"))
    return [file for file in files if file.is_file()]


def _imports(file: Path, folder: Path) -> list[str]:
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return []
    package = file.parent.relative_to(folder).parts
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            start = ".".join([*above, *([node.module] if node.module else [])])
            names += [start, *(f"{start}.{alias.name}".strip(".") for alias in node.names)]
    return [name for name in names if name]
