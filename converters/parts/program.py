"""Cut an exported program into named parts, each a program of its own."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from converters.brief import Brief
from converters.dtypes import dtype_of_torch
from converters.parts.divide import Division, divide
from converters.parts.flow import Flow, Point, flow_of, scopes
from converters.programs.files import load_program, save_program
from converters.split.axes import AxisNames, read_axes
from converters.split.body import Body, is_tensor, unlift
from converters.split.part import export_part
from converters.split.place import operator, place
from converters.split.policy import PartRule
from registry.composition import Artifact
from registry.errors import SplitError
from registry.format import Format
from registry.signature import Input

if TYPE_CHECKING:
    from torch.fx import Node

_SIZE = "aten.sym_size.int"
_ITEM = "getitem"


def cut_program(source: Path, rules: Sequence[PartRule], brief: Brief, out: Path) -> list[Artifact]:
    """Write each part to a folder of its name, and return them in their order.

    Each is traced anew: its axes are symbols of their own, with the job's names.

    Args:
        source: The folder of the dense part.
        brief: What the job would say of the dense part.

    Raises:
        SplitError: The nodes that the job names do not cut the program.
        SourceError: A part cannot be traced by itself.
    """
    program, signature = load_program(source)
    body = unlift(program)
    axes = read_axes(body.inputs, brief.inputs, body.graph)
    _ask_inputs_for_sizes(body, axes)
    nodes = _outputs(body)
    names = [tensor.name for tensor in signature.outputs]
    outputs = {name: node.name for name, node in zip(names, nodes, strict=True)}
    inputs = dict(zip(body.inputs, brief.inputs, strict=True))
    bench = _Bench(body, inputs, axes, brief)
    divisions = divide(_flow(body, nodes), rules, outputs)
    return [bench.write(division, out) for division in divisions]


@dataclass
class _Bench:
    """A program that is taken apart, part by part.

    Attributes:
        inputs: Of the program, and what the parts so far give.
    """

    body: Body
    inputs: "dict[Node, Input]"
    axes: AxisNames
    brief: Brief

    def write(self, division: Division, out: Path) -> Artifact:
        """Write a part; those after it find its values among their inputs."""
        import torch

        nodes = {node.name: node for node in self.body.graph.nodes}
        outputs = {name: nodes[value] for name, value in division.gives.items()}
        _check(outputs.values(), division.name)
        made = export_part(self.body, outputs, self.inputs, self.brief)
        save_program(made.program, out / division.name, made.signature)
        for name, node in outputs.items():
            if node.op != "placeholder":
                given = _hand_over(self.body, node, name, division)
                self.inputs[given] = _described(node, name, self.axes)
        return Artifact(
            part=division.name,
            format=Format.EXPORTED_PROGRAM,
            folder=division.name,
            signature=made.signature,
            maker=f"torch.export {torch.__version__}",
        )


def _hand_over(body: Body, node: "Node", name: str, division: Division) -> "Node":
    """Let all that is not of the part read a value from an input in its place."""
    with body.graph.inserting_before(next(iter(body.graph.nodes))):
        given = body.graph.placeholder(name)
    given.meta = dict(node.meta)
    for user in list(node.users):
        if user.name not in division.points and user.op != "output":
            user.replace_input_with(node, given)
    return given


def _check(nodes: "Iterable[Node]", part: str) -> None:
    """Refuse to hand on what is no tensor."""
    for node in nodes:
        if not is_tensor(node):
            raise SplitError(
                f"split.parts: what part '{part}' hands on has to be tensors, and '{node.name}' "
                f"({place(node)}) is none: end the part elsewhere"
            )


def _described(node: "Node", name: str, axes: AxisNames) -> Input:
    dtype = dtype_of_torch(node.meta["val"].dtype)
    return Input(name=name, dtype=dtype, shape=axes.shape(node))


def _flow(body: Body, outputs: "Sequence[Node]") -> Flow:
    """Describe the nodes that depend on a user's values; items belong to what they are of."""
    depends: set[Node] = set(body.inputs)
    for node in body.graph.nodes:
        if node.op != "placeholder" and _reads_values(node, depends):
            depends.add(node)
    points = [
        _point(node, depends)
        for node in body.graph.nodes
        if node in depends and node.op == "call_function" and not _is_item(node)
    ]
    return flow_of(points, (node.name for node in outputs))


def _reads_values(node: "Node", depends: "set[Node]") -> bool:
    """Say whether a node reads a user's value, or the size of something computed from one."""
    sized = str(node.target) == _SIZE
    return any(
        source in depends and not (sized and source.op == "placeholder")
        for source in node.all_input_nodes
    )


def _point(node: "Node", depends: "set[Node]") -> Point:
    items = list(_items(node))
    takes = (source.name for source in node.all_input_nodes if source in depends)
    gives = tuple(item.name for item in items) or (node.name,)
    modules = (path for path, _ in (node.meta.get("nn_module_stack") or {}).values() if path)
    called = {node.name, *gives, *(one for path in modules for one in scopes(path, "."))}
    return Point(
        name=node.name,
        takes=tuple(takes),
        gives=gives,
        called=frozenset(called),
        place=f"'{node.name}' ({operator(node)}, {place(node)})",
    )


def _items(node: "Node") -> "Iterator[Node]":
    """Give what is taken out of a node that has several values; items of items too."""
    for user in node.users:
        if _is_item(user) and not is_tensor(node):
            yield user
            yield from _items(user)


def _is_item(node: "Node") -> bool:
    return node.op == "call_function" and getattr(node.target, "__name__", "") == _ITEM


def _outputs(body: Body) -> "tuple[Node, ...]":
    output = next(node for node in body.graph.nodes if node.op == "output")
    return tuple(output.args[0])


def _ask_inputs_for_sizes(body: Body, axes: AxisNames) -> None:
    """Read sizes off inputs that have the same axis: a part would need the value for its size."""
    from torch.ops import aten

    homes: Mapping[object, tuple[Node, int]] = {
        dim: (node, position)
        for node in reversed(body.inputs)
        for position, dim in reversed(list(enumerate(axes.shape(node))))
    }
    for node in list(body.graph.nodes):
        if str(node.target) != _SIZE or node.args[0].op == "placeholder":
            continue
        home = homes.get(axes.of(node.meta["val"]))
        if home is None:
            continue
        with body.graph.inserting_before(node):
            size = body.graph.call_function(aten.sym_size.int, home)
        size.meta = dict(node.meta)
        node.replace_all_uses_with(size)
