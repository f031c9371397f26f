"""The first job of a model, from what can be seen of it."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from converters.sources.source import Inspection
from converters.split.policy import SplitOptions
from pipeline.job import scalar
from pipeline.job.columns import numbered
from pipeline.job.job import ParityOptions
from pipeline.showing.progress import size
from registry.signature import Axis, Dim, Ids, Input

_TEMPLATE = Path(__file__).with_name("job.yaml.j2")

#: Words that need no quotes, whatever stands around them.
_PLAIN = re.compile(r"[A-Za-z_.](?:[\w./:-]*[\w./-])?", re.ASCII)

#: Names of what is known to be right.
_LABEL = re.compile(r"(^|_)(y|labels?|targets?|click(s|ed)?)($|_)", re.IGNORECASE)

_WIDE = ("int64", "int32")


@dataclass(frozen=True)
class Given:
    """What the caller says of a job.

    Attributes:
        source: The `source` block, its paths relative to the job file.
        samples: Relative to the job file.
        held: Names of the samples' arrays or columns.
        store: Where versions go, relative to the job file.
    """

    file: str
    model: str
    source: Mapping[str, JsonValue]
    samples: str | None = None
    held: tuple[str, ...] = ()
    store: str = ".pipeline/store"


def sketch(given: Given, seen: Inspection) -> str:
    """Write a job that loads, with comments on what was guessed."""
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415  only `init` needs it

    environment = Environment(  # noqa: S701  YAML: values are quoted by the filters
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined
    )
    environment.filters |= {"written": _written, "comment": _comment}
    inputs = [_complete(tensor, remark, seen) for tensor, remark in seen.inputs]
    columns = _columns(given, [one.name for one, _ in inputs])
    taken = {one.name for one, _ in inputs}.union(*columns.values())
    named = dict.fromkeys(dim for one, _ in inputs for dim in one.shape if isinstance(dim, str))
    known = {slug(name): axis for name, axis in seen.axes.items()}
    axes = {name: known.get(name, Axis()) for name in named}
    return environment.from_string(_TEMPLATE.read_text(encoding="utf-8")).render(
        file=given.file,
        model=slug(given.model),
        source={**given.source, **seen.source},
        inputs=inputs,
        axes=axes,
        outputs=seen.outputs if len(set(seen.outputs)) == len(seen.outputs) else (),
        samples=given.samples,
        held=given.held,
        columns=columns,
        label=next((n for n in given.held if n not in taken and _LABEL.search(n)), None),
        store=given.store,
        tables=[_Table(*table) for table in seen.tables],
        batches=_batches(inputs[0][0].shape, axes) if inputs else None,
    )


def _columns(given: Given, inputs: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Say which columns make up an input that is no column itself."""
    if given.samples is None or given.samples.endswith(".npz"):
        return {}
    return {name: found for name, found in numbered(given.held).items() if name in inputs}


def slug(text: str) -> str:
    """Make a name of any text."""
    return re.sub(r"[^a-z0-9._-]+", "-", text.lower()).strip("-._")[:64] or "model"


@dataclass(frozen=True)
class _Table:
    """A line about a table."""

    name: str
    rows: int
    dim: int

    @property
    def size(self) -> str:
        return size(self.rows * self.dim * 4)

    @property
    def is_cut(self) -> bool:
        policy = SplitOptions()
        return self.rows >= policy.min_rows or self.rows * self.dim * 4 >= policy.min_bytes


def _complete(tensor: Input, remark: str, seen: Inspection) -> tuple[Input, str]:
    """Add what a job has to say, where the model does not tell."""
    shape = tuple(_dim(tensor.name, number, dim) for number, dim in enumerate(tensor.shape))
    tensor = tensor.model_copy(update={"shape": shape})
    if tensor.dtype not in _WIDE or tensor.ids or tensor.cuts or tensor.range:
        return tensor, remark
    rows = [table[1] for table in seen.tables]
    told: dict[str, object] = {"ids": Ids(cardinality=min(rows))} if rows else {"range": (0, 1)}
    guess = "guessed: ids of the smallest table" if rows else "guessed: 0 or 1"
    return tensor.model_copy(update=told), "; ".join(filter(None, (remark, guess)))


def _dim(name: str, number: int, dim: Dim) -> Dim:
    """Name an axis as a job allows, also where the file has no better than 0 or -1 for it."""
    if isinstance(dim, str):
        return slug(dim)
    if dim > 0:
        return dim
    return slug(f"{name}_{number}") if number else "batch"


def _batches(shape: tuple[Dim, ...], axes: Mapping[str, Axis]) -> tuple[int, ...] | None:
    """Say the batches where the usual ones are out of the model's range."""
    if not shape:
        return None
    first = shape[0]
    if isinstance(first, int):
        return (first,)
    axis, usual = axes[first], ParityOptions.model_fields["batches"].default
    fitting = tuple(size for size in usual if axis.min <= size <= axis.max)
    return None if fitting == usual else fitting or (max(axis.min, 1),)


def _written(value: JsonValue) -> str:
    """Write a value on one line, so that it is read back as it is."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_written(key)}: {_written(one)}' for key, one in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, str) and _PLAIN.fullmatch(value) and _is_text(value):
        return value
    return json.dumps(value, ensure_ascii=False)


def _is_text(text: str) -> bool:
    try:
        return scalar.resolve(text) == text
    except ValueError:
        return False


def _comment(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
