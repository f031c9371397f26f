"""Operators that ONNX defines by a body of other operators, and functions local to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from converters.onnx_models.faults import inline_functions
from converters.onnx_models.files import nodes
from converters.onnx_to_torch.table import ROWS

if TYPE_CHECKING:
    import onnx


def expand_functions(model: onnx.ModelProto) -> onnx.ModelProto:
    """Put bodies in the place of the nodes that have no row of their own."""
    import onnx.inliner

    model = inline_functions(model)
    known = {(row.domain, row.operator) for row in ROWS}
    wanted = {(node.domain, node.op_type) for node in nodes(model.graph)} - known
    bodies = [name for name in sorted(wanted) if _has_body(*name)]
    if not bodies:
        return model
    return onnx.inliner.inline_selected_functions(model, bodies, inline_schema_functions=True)


def _has_body(domain: str, operator: str) -> bool:
    import onnx

    if not onnx.defs.has(operator, domain=domain):
        return False
    schema = onnx.defs.get_schema(operator, domain=domain)
    return bool(schema.has_function or schema.has_context_dependent_function)
