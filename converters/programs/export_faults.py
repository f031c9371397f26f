"""Say what a user has to change when torch cannot export their module."""

import contextlib
import linecache
import logging
import os
import re
import tempfile
import traceback
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from converters.brief import Brief
from converters.programs import forward
from converters.programs.dynamic_shapes import dynamic_shapes, example_inputs, plain
from converters.programs.signature import named_expression, shape_names
from converters.quiet import TORCH_EXPORT, quiet
from registry.errors import PlatformError, SourceError
from registry.signature import Axis

if TYPE_CHECKING:
    import torch

_BAKED = re.compile(
    r"marked (\w+) as dynamic but your code specialized it to be a constant \((\d+)"
)
_EQUAL = re.compile(r"^  (\w+) = ([A-Za-z_]\w*)$", re.MULTILINE)
_RANGE = re.compile(r"^  (\w+) = Dim\('\w+'(?:, min=(\d+))?(?:, max=(\d+))?\)$", re.MULTILINE)
_STEPS = re.compile(r"^  (\w+) = (\d+)\*_\1$", re.MULTILINE)
_ROUNDED = re.compile(r"\((\w+) - 1\)//(\d+)")
_PACKAGES = ("converters", "pipeline", "registry")
_PLACE = re.compile(r'File "([^"]+)", line (\d+), in \w+\n\s+(.+)')


def explain(error: Exception, module: "torch.nn.Module", brief: Brief) -> PlatformError:
    """Turn what an export raised into an error that names the line and the remedy."""
    if isinstance(error, PlatformError):
        return error
    text = str(error)
    for fault in (_baked, _equal, _steps, _range):
        if found := fault(text, module, brief):
            return SourceError(found)
    if "data-dependent" in text or "data dependent" in text:
        return SourceError(_data_dependent(text, error, module))
    symbols = _symbols(error, brief)
    said = named_expression(_first_line(text), symbols)
    return SourceError(
        f"{_where(error, module)}: {type(error).__name__}: {said}.{_question(said, symbols)}"
        " Mend the module's forward, or the shapes and dtypes of the job's inputs"
    )


def _question(fault: str, symbols: Mapping[str, str]) -> str:
    rounded = [(name, int(by)) for name, by in _ROUNDED.findall(fault) if name in symbols.values()]
    if rounded:
        name, by = max(rounded, key=lambda one: one[1])
        said = f"say that all its sizes are multiples of {by}: axes.{name}.multiple_of"
        return f" Axis '{name}' is halved and doubled again, which rounds: {said}."
    axes = [name for name in dict.fromkeys(symbols.values()) if f"({name})" in fault]
    if len(axes) > 1:
        return f" If {' and '.join(axes)} are one axis, give them one name in the job."
    return f" Is axis '{axes[0]}' baked in?" if axes else ""


def _symbols(error: Exception, brief: Brief) -> dict[str, str]:
    """Learn which axis each of torch's symbols is from the call that failed."""
    calls = [
        frame.f_locals["arrays"]
        for frame, _ in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename == forward.__file__ and "arrays" in frame.f_locals
    ]
    return shape_names([array.shape for array in calls[-1]], brief.inputs) if calls else {}


def _baked(text: str, module: "torch.nn.Module", brief: Brief) -> str | None:
    if not _BAKED.search(text):
        return None
    where = _last_of_user(_quoted(text)) or _baked_where(module, brief)
    faults = [
        f"axis '{_axis(name, brief)}' is baked in at {size} by {where}"
        for name, size in _BAKED.findall(text)
    ]
    return (
        f"{'; '.join(faults)}. Take sizes from the tensors inside forward (x.shape[0], -1 in a"
        " reshape) without turning them into Python or numpy numbers, or give the job's inputs"
        " that fixed size"
    )


def _baked_where(module: "torch.nn.Module", brief: Brief) -> str:
    """Trace again, in torch's mode that goes on where it meets a fault, to find the line."""
    from torch._logging.structured import INTERN_TABLE
    from torch.export import draft_export

    shapes = dynamic_shapes(brief.inputs, brief.axes)
    try:
        with quiet("torch.export", *TORCH_EXPORT), _no_trace_left():
            report = draft_export(module, example_inputs(brief), dynamic_shapes=shapes)._report
    except Exception:  # noqa: BLE001 - the first fault is the one to tell of
        return f"{type(module).__name__}.forward"
    files = {number: file for file, number in INTERN_TABLE.items()}
    frames = [
        (files.get(frame["filename"], "<unknown>"), frame["line"], frame["loc"])
        for failure in report.failures
        for frame in failure.data.get("user_stack", ())
    ]
    return _last_of_user(frames) or f"{type(module).__name__}.forward"


@contextlib.contextmanager
def _no_trace_left() -> Iterator[None]:
    """Take away the log that `draft_export` would leave, open, in the temporary folder."""
    from torch._logging._internal import DTRACE_ENV_VAR, LazyTraceHandler

    before = os.environ.get(DTRACE_ENV_VAR)
    with tempfile.TemporaryDirectory() as folder:
        os.environ[DTRACE_ENV_VAR] = folder
        try:
            yield
        finally:
            os.environ.pop(DTRACE_ENV_VAR)
            if before is not None:
                os.environ[DTRACE_ENV_VAR] = before
            handlers = logging._handlerList  # type: ignore[attr-defined] # no public list
            for held in [reference() for reference in handlers]:
                if isinstance(held, LazyTraceHandler) and held.root_dir == folder:
                    held.close()


def _equal(text: str, _module: object, brief: Brief) -> str | None:
    faults = [
        f"axes '{_axis(one, brief)}' and '{_axis(other, brief)}' always have the same size in"
        " this model: give them one name in the job"
        for one, other in _EQUAL.findall(text)
    ]
    return "; ".join(faults) or None


def _steps(text: str, _module: object, brief: Brief) -> str | None:
    """Name axes of which torch found that they are multiples of a number."""
    faults = [
        f"axis '{_axis(name, brief)}' can only be a multiple of {times} in this model: set"
        f" axes.{_axis(name, brief)}.multiple_of to {times}, and its min and max to such sizes"
        for name, times in _STEPS.findall(text)
    ]
    return "; ".join(faults) or None


def _range(text: str, _module: object, brief: Brief) -> str | None:
    limits = [
        f"axis '{_axis(name, brief)}' can only go"
        + (f" from {low}" if low else "")
        + (f" up to {high}" if high else "")
        + f" in this model: set {_limits(_axis(name, brief), low, high, brief)}"
        for name, low, high in _RANGE.findall(text)
    ]
    if not limits and "Constraints violated" in text:
        return " ".join(text.split("For more information", maxsplit=1)[0].split()) + _details(text)
    return "; ".join(limits) or None


def _limits(axis: str, low: str, high: str, brief: Brief) -> str:
    """Say which ends of an axis' range the job has to change."""
    said = brief.axes.get(axis, Axis())
    ends = [("min", low, said.min), ("max", high, said.max)]
    wrong = [(end, limit) for end, limit, has in ends if limit and int(limit) != has]
    told = wrong or [(end, limit) for end, limit, _ in ends if limit]
    return " and ".join(f"axes.{axis}.{end} to {limit}" for end, limit in told)


def _details(text: str) -> str:
    return " " + "; ".join(line[4:] for line in text.splitlines() if line.startswith("  - "))


def _data_dependent(text: str, error: Exception, module: "torch.nn.Module") -> str:
    place = _last_of_user(_quoted(text)) or _where(error, module)
    return (
        f"{place}: what is computed here depends on the values in a tensor, so no one graph"
        " answers for all inputs. Use torch.where, torch.cond or masks instead of if, item()"
        " and sizes taken from values"
    )


def _quoted(text: str) -> list[tuple[str, int, str]]:
    return [(file, int(line), code.strip()) for file, line, code in _PLACE.findall(text)]


def _where(error: Exception, module: "torch.nn.Module") -> str:
    """Name the innermost line of the user's code, with the path of the module it belongs to."""
    import torch

    paths = {id(one): path for path, one in module.named_modules()}
    frames, path = [], ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        code = linecache.getline(frame.f_code.co_filename, line).strip()
        frames.append((frame.f_code.co_filename, line, code))
        owner = frame.f_locals.get("self")
        if isinstance(owner, torch.nn.Module):
            path = paths.get(id(owner), path)
    place = _last_of_user(frames) or f"{type(module).__name__}.forward"
    return f"{place}, in module '{path}'" if path else place


def _last_of_user(frames: Iterable[tuple[str, int, str]]) -> str | None:
    """Give 'file:line (code)' of the innermost frame that is in nobody's installed package."""
    ours = Path(__file__).parents[2]
    places = [
        f"{file}:{line} ({code})"
        for file, line, code in frames
        if "site-packages" not in file
        and not file.startswith("<")
        and not any(Path(file).is_relative_to(ours / name) for name in _PACKAGES)
    ]
    return places[-1] if places else None


def _axis(name: str, brief: Brief) -> str:
    names = [dim for given in brief.inputs for dim in given.shape if isinstance(dim, str)]
    return next((axis for axis in names if plain(axis) == name), name)


def _first_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0].removesuffix(")).").rstrip(".") if lines else "no message"
