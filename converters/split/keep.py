"""Why a lookup cannot be cut: one function a reason."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from converters.split.body import Body, is_integer, is_tensor
from converters.split.forms.form import Read
from converters.split.policy import SplitOptions
from converters.split.roots import Roots

if TYPE_CHECKING:
    from torch.fx import Node


def why_stuck(read: Read, roots: Roots, body: Body, options: SplitOptions) -> str | None:
    """Say why a lookup must stay in the dense part, or None where it can be cut.

    Args:
        roots: Of its ids, offsets and weights together.
    """
    return next((why for reason in REASONS if (why := reason(read, roots, body, options))), None)


def sources_of(read: Read, known: "Mapping[Node, Roots]") -> Roots:
    """Join the roots of a lookup's ids, offsets and weights."""
    roots = Roots()
    for node in read.sources:
        roots |= known[node]
    return roots


def _chained(_read: Read, roots: Roots, _body: Body, _options: SplitOptions) -> str | None:
    """Let integers pass: rows of an integer table are ids. Of floats the network makes others."""
    if all(is_tensor(node) and is_integer(node) for node in roots.lookups):
        return None
    return "its ids or weights come from the vectors of another lookup"


def _learned(_read: Read, roots: Roots, body: Body, _options: SplitOptions) -> str | None:
    weights = {name: body.weights[name] for name in roots.weights if name in body.weights}
    learned = sorted(
        name for name, one in weights.items() if one.learned and one.tensor.is_floating_point()
    )
    if not learned:
        return None
    return f"its ids or weights are computed from the parameter {body.weights[learned[0]].keys[0]}"


def _big(_read: Read, roots: Roots, body: Body, options: SplitOptions) -> str | None:
    """Keep the ids program small."""
    for name in sorted(n for n in roots.weights if n in body.weights):
        tensor = body.weights[name].tensor
        if tensor.nbytes >= options.min_bytes:
            return f"its ids come from {body.weights[name].keys[0]}, {tensor.nbytes} bytes in size"
    return None


def _positional(_read: Read, roots: Roots, _body: Body, _options: SplitOptions) -> str | None:
    if roots.inputs or roots.lookups:
        return None
    return "its ids are positions or constants: no input's value decides them"


def _more_results(read: Read, _roots: Roots, _body: Body, _options: SplitOptions) -> str | None:
    if read.result is read.node:
        return None
    others = [user for user in read.node.users if user is not read.result and user.users]
    return "the model uses more of the bag than its vectors" if others else None


#: In the order in which they are told.
REASONS: tuple[Callable[[Read, Roots, Body, SplitOptions], str | None], ...] = (
    _positional,
    _chained,
    _learned,
    _big,
    _more_results,
)
