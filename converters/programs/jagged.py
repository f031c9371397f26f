"""Modules that take a torchrec KeyedJaggedTensor: fed with values and offsets, or lengths."""

import importlib.util
import inspect
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from converters.programs.forward import is_required
from converters.programs.jagged_operators import starts_and_end
from registry.errors import MissingExtraError, SourceError
from registry.signature import Input

if TYPE_CHECKING:
    import torch

#: What the name of an input of weights ends in, after the feature's.
WEIGHTS = "_weights"


@dataclass(frozen=True)
class _Feature:
    """One key of a KeyedJaggedTensor, and the inputs that it is made of.

    Attributes:
        bags: Where bags begin, and last the end: one more than there are bags. Or how long they
            are, where `by_length`.
        weights: One a value, where the module weighs them.
    """

    name: str
    bags: str
    by_length: bool
    weights: str | None = None


def feed_jagged(
    module: "torch.nn.Module", jagged: Mapping[str, Sequence[str]], inputs: Sequence[Input]
) -> None:
    """Have the module's forward take the job's inputs, in their order, for its jagged parameters.

    A feature's inputs are the one of its name, the one that has `offsets` or `lengths` of it and,
    where values are weighed, `<feature>_weights`; other inputs go to the parameters of their names.

    Args:
        jagged: Names of features by the parameter that takes them.

    Raises:
        SourceError: Inputs are missing or fit nothing; every fault at once.
        MissingExtraError: torchrec is not installed.
    """
    takes = inspect.signature(module.forward).parameters
    if faults := [*_of_features(jagged, inputs), *_of_parameters(takes, jagged, inputs)]:
        raise SourceError(f"source.jagged: {'; '.join(faults)}")
    _check_installed()
    features = {one: _find(names, inputs) for one, names in jagged.items()}
    used = _used(jagged, inputs)
    forward = module.forward

    def flat(*arrays: "torch.Tensor") -> object:
        held = {given.name: array for given, array in zip(inputs, arrays, strict=True)}
        plain = {name: array for name, array in held.items() if name not in used}
        return forward(**plain, **{one: _keyed(found, held) for one, found in features.items()})

    vars(module)["forward"] = flat


def _check_installed() -> None:
    if importlib.util.find_spec("torchrec") is None:
        raise MissingExtraError(
            f"torchrec is not installed in {sys.prefix}, where this runs, and source.jagged needs"
            " it. Run there: pip install --no-deps torchrec fbgemm-gpu-cpu, both of the release"
            " that is for this torch, and what they import"
        )


def _of_features(jagged: Mapping[str, Sequence[str]], inputs: Sequence[Input]) -> Iterator[str]:
    named = {given.name for given in inputs}
    cuts = {given.cuts: given for given in inputs if given.cuts}
    for several in jagged.values():
        for name in several:
            if name not in named:
                yield f"feature '{name}' needs an input of that name, which holds its values"
            if name not in cuts:
                yield f"feature '{name}' needs an input with `lengths: {name}` or `offsets: {name}`"
            elif cuts[name].offsets and not cuts[name].includes_last:
                yield f"input '{cuts[name].name}' needs `includes_last: true`"
        bare = [name for name in several if name + WEIGHTS not in named]
        if 0 < len(bare) < len(several):
            yield from (f"feature '{name}' needs an input {name}{WEIGHTS}" for name in bare)


def _of_parameters(
    takes: Mapping[str, inspect.Parameter],
    jagged: Mapping[str, Sequence[str]],
    inputs: Sequence[Input],
) -> Iterator[str]:
    used = _used(jagged, inputs)
    plain = [given.name for given in inputs if given.name not in used]
    for name in jagged:
        if name not in takes:
            yield f"forward has no parameter '{name}', it takes ({', '.join(takes)})"
    for name in plain:
        if name not in takes:
            yield f"input '{name}' is no parameter of forward and belongs to no feature"
    for name, one in takes.items():
        if is_required(one) and name not in (*jagged, *plain):
            yield f"forward needs '{name}': add an input of that name, or name its features"


def _used(jagged: Mapping[str, Sequence[str]], inputs: Sequence[Input]) -> set[str]:
    """Name the inputs that belong to features."""
    names = {name for several in jagged.values() for name in several}
    weights = {name + WEIGHTS for name in names}
    return {one.name for one in inputs if {one.name, one.cuts} & names or one.name in weights}


def _find(names: Sequence[str], inputs: Sequence[Input]) -> tuple[_Feature, ...]:
    named = {given.name for given in inputs}
    cuts = {given.cuts: given for given in inputs if given.cuts}
    return tuple(
        _Feature(
            name,
            cuts[name].name,
            by_length=cuts[name].lengths is not None,
            weights=weights if weights in named else None,
        )
        for name in names
        for weights in [name + WEIGHTS]
    )


def _keyed(features: Sequence[_Feature], held: "Mapping[str, torch.Tensor]") -> object:
    """Make a KeyedJaggedTensor whose features are the inputs as they are, not slices of one."""
    import torch
    import torchrec

    weighted = [held[one.weights] for one in features if one.weights]
    parts: dict[str, Any] = {one.name: _jagged(one, held) for one in features}
    return torchrec.KeyedJaggedTensor(
        keys=list(parts),
        values=torch.cat([held[one.name] for one in features]),
        weights=torch.cat(weighted) if weighted else None,
        lengths=torch.cat([part.lengths() for part in parts.values()]),
        stride=held[features[0].bags].shape[0] - (not features[0].by_length),
        length_per_key=[held[one.name].shape[0] for one in features],
        jt_dict=parts,
    )


def _jagged(feature: _Feature, held: "Mapping[str, torch.Tensor]") -> object:
    import torchrec

    bags = held[feature.bags]
    return torchrec.JaggedTensor(
        values=held[feature.name],
        offsets=starts_and_end(bags) if feature.by_length else bags,
        lengths=bags if feature.by_length else bags.diff(),
        weights=held[feature.weights] if feature.weights else None,
    )
