"""Det of small matrices, by their first row."""

from converters.onnx_legal.body import Body, ints
from converters.onnx_legal.rewrite import Rewrite

#: Rows from which on there would be too many products.
_MOST = 4


def apply(body: Body) -> None:
    """Add products and sums of single elements.

    Raises:
        ConversionError: The matrices are large, or of no fixed size.
    """
    size = body.place.size(-1)
    if size > _MOST:
        raise body.place.refusal(f"its input has matrices of {size} rows, more than {_MOST}")
    found = _minor(body, 0, tuple(range(size)))
    body.give(body.squeeze(found, -2, -1))


def _minor(body: Body, row: int, columns: tuple[int, ...]) -> str:
    """Give the determinant of the rows from one on, of some columns."""
    terms = []
    for number, column in enumerate(columns):
        term = _element(body, row, column)
        if left := tuple(one for one in columns if one != column):
            term = body("Mul", term, _minor(body, row + 1, left))
        terms.append(body("Neg", term) if number % 2 else term)
    total = terms[0]
    for term in terms[1:]:
        total = body("Add", total, term)
    return total


def _element(body: Body, row: int, column: int) -> str:
    line = body("Slice", body.place.node.input[0], ints(row), ints(row + 1), ints(-2))
    return body("Slice", line, ints(column), ints(column + 1), ints(-1))


REWRITE = Rewrite(
    operator="Det",
    fault="lacks it",
    cases=("det_*",),
    apply=apply,
)
