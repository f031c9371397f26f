"""Operators whose answer is worked out from sizes, without a tensor."""

from __future__ import annotations

from converters.onnx_to_torch.operators import of_sizes
from converters.onnx_to_torch.row import MORE_TYPES, Row

#: What is computed with sizes alone; everything that does not fit goes by ROWS.
SIZE_ROWS: tuple[Row, ...] = (
    Row("Add", (7, 13, 14), of_sizes.add),
    Row("Cast", (6, 9, 13, *MORE_TYPES, 28), of_sizes.cast),
    Row("Concat", (4, 11, 13), of_sizes.concat),
    Row("Div", (7, 13, 14), of_sizes.divide),
    Row("Equal", (7, 11, 13, 19), of_sizes.equal),
    Row("Gather", (1, 11, 13), of_sizes.gather),
    Row("Identity", (1, 13, 14, 16, *MORE_TYPES), of_sizes.identity),
    Row("Max", (8, 12, 13), of_sizes.greatest),
    Row("Min", (8, 12, 13), of_sizes.least),
    Row("Mod", (10, 13, 28), of_sizes.modulo),
    Row("Mul", (7, 13, 14), of_sizes.multiply),
    Row("Neg", (6, 13), of_sizes.negative),
    Row("Range", (11, 27), of_sizes.span),
    Row("ReduceProd", (18,), of_sizes.reduce_prod),
    Row("Reshape", (5, 13, 14, *MORE_TYPES), of_sizes.reshape),
    Row("Shape", (1, 13, 15, *MORE_TYPES), of_sizes.ranks),
    Row("Slice", (10, 11, 13), of_sizes.slice_),
    Row("Squeeze", (13, 21, 23, 24, 25), of_sizes.squeeze),
    Row("Sub", (7, 13, 14), of_sizes.subtract),
    Row("Unsqueeze", (13, 21, 23, 24, 25), of_sizes.unsqueeze),
    Row("Where", (9, 16), of_sizes.where),
)
