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
        bags: Input of offsets → input that it cuts into bags.
        weights: Input that weighs the ids of another → that other.
    """

    outputs: tuple[str, ...] = ()
    rows: dict[str, int | tuple[int, ...]] = field(default_factory=dict)
    bags: dict[str, str] = field(default_factory=dict)
    weights: dict[str, str] = field(default_factory=dict)


def watch(call: Callable[..., object], inputs: "Mapping[str, torch.Tensor]") -> Seen:
    """Run a module and note what its lookups are given; a run that fails tells what it reached."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    notes = _Notes(dict(inputs))
    seers = {
        "embedding": notes.lookup,
        "embedding_bag": notes.bag,
        "_embedding_bag": notes.bag,
        "_embedding_bag_forward_only": notes.bag,
        "to": notes.copy,
        "_to_copy": notes.copy,
    }

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
    seen.rows = notes.rows()
    seen.bags, seen.weights = notes.bags, notes.weights
    return seen


@dataclass
class _Notes:
    """Tensors are told by their storage, which all that was seen keeps alive."""

    inputs: "dict[str, torch.Tensor]"
    bags: dict[str, str] = field(default_factory=dict)
    weights: dict[str, str] = field(default_factory=dict)
    _found: dict[str, dict[int | None, int]] = field(default_factory=dict)
    _copies: "list[tuple[torch.Tensor, str]]" = field(default_factory=list)

    def lookup(self, args: tuple[Any, ...], _: object) -> None:
        """Note aten.embedding(weight, ids, …)."""
        self._look_up(args[0], args[1])

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
        """Note that an input in another element type is still that input."""
        name = self._name(args[0])
        if name is not None and args[0].shape == self.inputs[name].shape:
            self._copies.append((result, name))

    def rows(self) -> dict[str, int | tuple[int, ...]]:
        """Say how many rows each input names: one number, or one for each column."""
        return {name: self._count(name, columns) for name, columns in self._found.items()}

    def _count(self, name: str, columns: dict[int | None, int]) -> int | tuple[int, ...]:
        given = [columns[at] for at in range(self.inputs[name].shape[-1]) if at in columns]
        if None in columns or len(given) != self.inputs[name].shape[-1] or len(set(given)) == 1:
            return min(columns.values())
        return tuple(given)

    def _look_up(self, table: "torch.Tensor", ids: "torch.Tensor") -> None:
        if (name := self._name(ids)) is None:
            return
        columns = self._found.setdefault(name, {})
        given = self.inputs[name]
        is_column = given.ndim == 2 and ids.ndim == 1 and ids.stride(0) == given.stride(0)
        at = ids.storage_offset() if is_column else None
        columns[at] = min(len(table), columns.get(at, len(table)))

    def _name(self, tensor: "torch.Tensor") -> str | None:
        known = [*((given, name) for name, given in self.inputs.items()), *self._copies]
        place = tensor.untyped_storage().data_ptr()
        fits = [name for one, name in known if one.untyped_storage().data_ptr() == place]
        return fits[0] if fits and place else None
