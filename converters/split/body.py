"""An exported program as a graph that can be cut: weights are attributes, inputs are the user's."""

import copy
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from converters.programs.loops import recurrent_loops
from converters.quiet import TORCH_EXPORT, quiet
from converters.split.place import operator
from registry.composition import Remark
from registry.errors import SplitError

if TYPE_CHECKING:
    import torch
    from torch.export import ExportedProgram
    from torch.export.graph_signature import InputSpec
    from torch.fx import Graph, GraphModule, Node


_TENSORS = ("PARAMETER", "BUFFER", "CONSTANT_TENSOR")


@dataclass(frozen=True)
class Weight:
    """A tensor that the program holds.

    Attributes:
        keys: Its names in the checkpoint; several where modules share it.
        learned: A parameter, not a buffer or a constant.
    """

    keys: tuple[str, ...]
    learned: bool
    tensor: "torch.Tensor"


@dataclass
class Body:
    """A private copy of a program's graph, to be rewritten in place. Tensors are not copied.

    Attributes:
        inputs: Placeholders of the user's tensors, in order.
        weights: By the attribute that `get_attr` nodes name.
        modules: Branches and loop bodies, by attribute.
        remarks: What a rewrite wants the report to say.
    """

    graph: "Graph"
    inputs: "tuple[Node, ...]"
    weights: dict[str, Weight]
    modules: "dict[str, GraphModule]"
    remarks: list[Remark] = field(default_factory=list)

    def add_constant(self, name: str, tensor: "torch.Tensor") -> str:
        """Hold a tensor that the program did not have; return its attribute."""
        attribute = name
        while attribute in self.weights or attribute in self.modules:
            attribute += "_"
        self.weights[attribute] = Weight(keys=(name,), learned=False, tensor=tensor)
        return attribute

    def remark(self, text: str) -> None:
        """Say something in the report."""
        self.remarks.append(Remark(by="split", text=text))


def unlift(program: "ExportedProgram") -> Body:
    """Copy a program's graph and turn its lifted inputs into attributes.

    Tensors that are one and the same become one attribute. Changes that the program makes
    to its own buffers are dropped, with a remark.

    Raises:
        SplitError: The program holds something that is no tensor.
    """
    program = _functional(program)
    module = copy.deepcopy(program.graph_module)
    body = Body(module.graph, inputs=(), weights={}, modules=dict(module.named_children()))
    names: dict[object, list[str]] = {}
    for key, tensor in program.state_dict.items():
        names.setdefault(_identity(tensor), []).append(key)
    made: dict[object, Node] = {}
    inputs = []
    # By position: a copy of a graph may have other names.
    nodes = [node for node in body.graph.nodes if node.op == "placeholder"]
    for node, spec in zip(nodes, program.graph_signature.input_specs, strict=True):
        if spec.kind.name == "USER_INPUT":
            inputs.append(node)
        elif spec.kind.name not in _TENSORS:
            raise SplitError(
                f"the program holds {spec.arg.name}, a {spec.kind.name.lower()}, which no part can"
                " hold: export the model without it"
            )
        else:
            _hold(body, node, _weight(program, spec, names), made)
    body.inputs = tuple(node for node in inputs if "val" in node.meta)
    _drop_changes(program, body)
    return body


def count_operators(graph: "Graph") -> dict[str, int]:
    """Count a graph's nodes by operator."""
    calls = (node for node in graph.nodes if node.op == "call_function")
    names = (operator(n) if str(n.target).startswith("<") else str(n.target) for n in calls)
    return dict(sorted(Counter(names).items()))


def is_tensor(node: "Node") -> bool:
    """Say whether a node's value is known to be one tensor."""
    import torch

    return isinstance(node.meta.get("val"), torch.Tensor)


def is_integer(node: "Node") -> bool:
    """Say whether a tensor holds whole numbers."""
    kind = node.meta["val"].dtype
    return not (kind.is_floating_point or kind.is_complex or str(kind) == "torch.bool")


def _weight(
    program: "ExportedProgram", spec: "InputSpec", names: Mapping[object, list[str]]
) -> Weight:
    held = program.state_dict
    tensor = held[spec.target] if spec.target in held else program.constants[spec.target]
    return Weight(
        keys=tuple(names.get(_identity(tensor), [spec.target])),
        learned=spec.kind.name == "PARAMETER",
        tensor=tensor,
    )


def _identity(tensor: "torch.Tensor") -> object:
    if str(tensor.layout) != "torch.strided":
        return id(tensor)  # sparse ones have no storage that could be shared
    storage = tensor.untyped_storage()._cdata
    return storage, tensor.storage_offset(), tuple(tensor.shape), tensor.stride(), tensor.dtype


def _hold(body: Body, node: "Node", weight: Weight, made: "dict[object, Node]") -> None:
    """Put an attribute in the place of a lifted input, the same one for the same tensor."""
    identity = _identity(weight.tensor)
    if identity not in made:
        body.weights[node.name] = weight
        with body.graph.inserting_before(node):
            made[identity] = body.graph.create_node("get_attr", node.name)
        made[identity].meta = dict(node.meta)
    node.replace_all_uses_with(made[identity])
    body.graph.erase_node(node)


def _drop_changes(program: "ExportedProgram", body: Body) -> None:
    """Leave the user's outputs alone."""
    output = next(node for node in body.graph.nodes if node.op == "output")
    kept = []
    for spec, value in zip(program.graph_signature.output_specs, output.args[0], strict=True):
        if spec.kind.name == "USER_OUTPUT":
            kept.append(value)
        else:
            body.remark(f"the model changes its own {spec.target} as it answers; the copy does not")
    output.args = (tuple(value for value in kept if value is not None),)


def _functional(program: "ExportedProgram") -> "ExportedProgram":
    """Rewrite operators that work in place, so that values flow along the graph's edges alone."""
    if any(_works_in_place(node) for node in program.graph.nodes):
        with quiet("torch.export", *TORCH_EXPORT), recurrent_loops():
            return program.run_decompositions({})
    return program


def _works_in_place(node: "Node") -> bool:
    schema = getattr(node.target, "_schema", None)
    return (
        node.op == "call_function"
        and schema is not None
        and schema.is_mutable
        and "embedding_renorm_" not in str(node.target)
    )
