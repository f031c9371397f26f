"""Which inputs a torch module looks up in its tables as they are: seen by running it once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from converters.programs.eager import named_outputs

if TYPE_CHECKING:
    import torch


@dataclass
class Seen:
    """What a run told.

    Attributes:
        outputs: Their names; none where the run failed.
        rows: How many rows an input names, or each of its columns (the last axis).
        tables: Names of the weights that rows were read from.
        bags: Input of offsets → input that it cuts into bags.
        weights: Input that weighs the ids of another → that other.
    """

    outputs: tuple[str, ...] = ()
    rows: dict[str, int | tuple[int, ...]] = field(default_factory=dict)
    tables: tuple[str, ...] = ()
    bags: dict[str, str] = field(default_factory=dict)
    weights: dict[str, str] = field(default_factory=dict)


def watch(
    call: Callable[..., object],
    inputs: "Mapping[str, torch.Tensor]",
    weights: "Mapping[str, torch.Tensor]",
) -> Seen:
    """Run a module and note what its lookups are given; a run that fails tells what it reached.

    Args:
        weights: The module's parameters and buffers: reading rows of one of these by number is
            a lookup, whatever operator does it; reading rows of anything else is not.
    """
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    notes = _Notes(dict(inputs), dict(weights))
    seers = notes.seers()

    class Watching(TorchDispatchMode):  # type: ignore[misc]  # torch does not type it
        def __torch_dispatch__(  # type: ignore[no-untyped-def]  # torch's signature
            self,
            func,  # noqa: ANN001
            types,  # noqa: ANN001
            args=(),  # noqa: ANN001
            kwargs=None,  # noqa: ANN001
        ) -> object:
            result = func(*args, **(kwargs or {}))
            if see := seers.get(func.overloadpacket.__name__):
                see(args, result)
            return result

    seen = Seen()
    try:
        with torch.inference_mode(), Watching():
            seen.outputs = tuple(named_outputs(call(*inputs.values()), ()))
    except Exception:  # noqa: BLE001 - the samples may well not fit; the job says it then
        seen.outputs = ()
    seen.rows, seen.tables = notes.rows(), tuple(notes.tables)
    seen.bags, seen.weights = notes.bags, notes.weights
    return seen


@dataclass
class _Notes:
    """Tensors are told by where they lie, which all that was seen keeps alive.

    Attributes:
        _copies: Of an input, or of some of its columns: the copy, and what it was made of.
    """

    inputs: "dict[str, torch.Tensor]"
    stored: "dict[str, torch.Tensor]"
    tables: dict[str, None] = field(default_factory=dict)
    bags: dict[str, str] = field(default_factory=dict)
    weights: dict[str, str] = field(default_factory=dict)
    _found: dict[str, dict[int | None, int]] = field(default_factory=dict)
    _copies: "list[tuple[torch.Tensor, torch.Tensor]]" = field(default_factory=list)

    def seers(self) -> dict[str, Callable[[tuple[Any, ...], Any], None]]:
        """Say what to note, by operator."""
        bags = ("embedding_bag", "_embedding_bag", "_embedding_bag_forward_only")
        copies = ("to", "_to_copy", "clone")
        return {
            "embedding": self.lookup,
            "index_select": self.select,
            "index": self.index,
            **dict.fromkeys(bags, self.bag),
            **dict.fromkeys(copies, self.copy),
        }

    def lookup(self, args: tuple[Any, ...], _: object) -> None:
        """Note aten.embedding(weight, ids, …)."""
        self._look_up(args[0], args[1])

    def select(self, args: tuple[Any, ...], _: object) -> None:
        """Note aten.index_select(weight, 0, ids), where it is a weight."""
        if args[1] == 0 and self._stored(args[0]):
            self._look_up(args[0], args[2])

    def index(self, args: tuple[Any, ...], _: object) -> None:
        """Note aten.index(weight, [ids]), where it is a weight."""
        table, indices = args[0], args[1]
        if len(indices) == 1 and indices[0].dtype.itemsize > 1 and self._stored(table):
            self._look_up(table, indices[0])

    def bag(self, args: tuple[Any, ...], _: object) -> None:
        """Note aten._embedding_bag(weight, ids, offsets, …, weights, include_last, padding)."""
        table, ids, offsets, weights = args[0], args[1], args[2], (*args, *[None] * 7)[6]
        self._look_up(table, ids)
        if (of := self._name(ids)) is None:
            return
        if (name := self._name(offsets)) is not None:
            self.bags[name] = of
        if weights is not None and (name := self._name(weights)) is not None:
            self.weights[name] = of

    def copy(self, args: tuple[Any, ...], result: Any) -> None:  # noqa: ANN401  a tensor
        """Note that an input or a weight in another element type or order is still that."""
        if self._name(args[0]) is not None or self._stored(args[0]):
            self._copies.append((result, args[0]))

    def rows(self) -> dict[str, int | tuple[int, ...]]:
        """Say how many rows each input names: one number, or one for each column."""
        return {name: self._count(name, columns) for name, columns in self._found.items()}

    def _count(self, name: str, columns: dict[int | None, int]) -> int | tuple[int, ...]:
        given = [columns[at] for at in range(self.inputs[name].shape[-1]) if at in columns]
        if None in columns or len(given) != self.inputs[name].shape[-1] or len(set(given)) == 1:
            return min(columns.values())
        return tuple(given)

    def _look_up(self, table: "torch.Tensor", ids: "torch.Tensor") -> None:
        if name := self._stored(table):
            self.tables[name] = None
        if (of := self._name(ids)) is None:
            return
        columns = self._found.setdefault(of, {})
        given, taken = self.inputs[of], self._origin(ids)
        is_column = given.ndim == 2 and taken.ndim == 1 and taken.stride(0) == given.stride(0)
        at = taken.storage_offset() if is_column else None
        columns[at] = min(len(table), columns.get(at, len(table)))

    def _origin(self, tensor: "torch.Tensor") -> "torch.Tensor":
        """Go back from a copy to what it was made of."""
        for copy, made_of in reversed(self._copies):
            if copy.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr():
                return self._origin(made_of)
        return tensor

    def _name(self, tensor: "torch.Tensor") -> str | None:
        return _named(self._origin(tensor), self.inputs)

    def _stored(self, tensor: "torch.Tensor") -> str | None:
        return _named(self._origin(tensor), self.stored)


def _named(tensor: "torch.Tensor", known: "Mapping[str, torch.Tensor]") -> str | None:
    """Find the tensor that this one lies in; several may share a storage: a mapped file."""
    place = tensor.data_ptr()
    fits = (name for name, one in known.items() if 0 <= place - one.data_ptr() < max(one.nbytes, 1))
    return next(fits, None) if place else None
