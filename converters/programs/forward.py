"""Call a module with the job's inputs, by name where its forward knows the names."""

import contextlib
import difflib
import inspect
import keyword
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from registry.errors import SourceError

if TYPE_CHECKING:
    import torch

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def call_in_order(module: "torch.nn.Module", names: Sequence[str]) -> Callable[..., object]:
    """Give a function that takes the inputs in the job's order and calls the module.

    Raises:
        SourceError: The names or the number of the inputs do not fit the module's forward.
    """
    forward = module.forward
    parameters = inspect.signature(forward).parameters
    if _by_name(parameters, names):
        return lambda *arrays: forward(**dict(zip(names, arrays, strict=True)))
    _check_positions(type(module).__name__, parameters, names)
    return lambda *arrays: forward(*arrays)  # noqa: PLW0108 - a signature is set on what is given


@contextlib.contextmanager
def in_job_order(module: "torch.nn.Module", names: Sequence[str]) -> Iterator[None]:
    """Let the module's forward take the job's inputs, in their order and by their names.

    An export names the program's inputs after the parameters of forward. Wrapping the
    module instead would rename every weight.
    """
    call = call_in_order(module, names)
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined] # inspect reads it
        [inspect.Parameter(name, _POSITIONAL[1]) for name in _identifiers(names)]
    )
    before = vars(module).get("forward")
    vars(module)["forward"] = call
    try:
        yield
    finally:
        del vars(module)["forward"]
        if before is not None:
            vars(module)["forward"] = before


def _by_name(parameters: Mapping[str, inspect.Parameter], names: Sequence[str]) -> bool:
    takes = {name for name, one in parameters.items() if one.kind in _NAMED}
    needs = {name for name, one in parameters.items() if is_required(one)}
    return set(names) <= takes and needs <= set(names)


def _check_positions(
    module: str, parameters: Mapping[str, inspect.Parameter], names: Sequence[str]
) -> None:
    places = [name for name, one in parameters.items() if one.kind in _POSITIONAL]
    needs = [name for name, one in parameters.items() if is_required(one)]
    open_ended = any(one.kind is one.VAR_POSITIONAL for one in parameters.values())
    fits = len(names) >= len(needs) and (open_ended or len(names) <= len(places))
    fits = fits and set(needs) <= set(places[: len(names)])
    moved = [n for at, n in enumerate(names) if n in places and places.index(n) != at]
    if fits and not moved:
        return
    raise SourceError(
        f"{module}.forward takes ({', '.join(parameters)}), the job's inputs are"
        f" ({', '.join(names)}): {_advice(list(parameters), needs, names)}"
    )


def _advice(takes: list[str], needs: list[str], names: Sequence[str]) -> str:
    foreign = [name for name in names if name not in takes]
    for name in foreign:
        if close := difflib.get_close_matches(name, [t for t in takes if t not in names], 1):
            return f"did you mean '{close[0]}' instead of '{name}'?"
    missing = [name for name in needs if name not in names]
    if missing and not foreign:
        return f"add an input named '{missing[0]}'"
    if len(names) < len(needs):
        return f"give at least {len(needs)} inputs"
    return "name the job's inputs after the parameters, or give as many in the same order"


def is_required(one: inspect.Parameter) -> bool:
    """Tell whether a call has to give a parameter."""
    return one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)


def _identifiers(names: Sequence[str]) -> list[str]:
    """Turn names into distinct Python identifiers."""
    made: list[str] = []
    for name in names:
        plain = re.sub(r"\W", "_", name)
        if not plain.isidentifier() or keyword.iskeyword(plain):
            plain = f"input_{plain}"
        while plain in made:
            plain += "_"
        made.append(plain)
    return made
