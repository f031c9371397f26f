"""DFT and STFT as products with matrices of sines and cosines."""

from __future__ import annotations

import numpy as np

from converters.onnx_legal.body import Body, Operand, ints
from converters.onnx_legal.rewrite import Rewrite
from converters.onnx_legal.rewrites.fourier_free import free_matrices

#: Bits that a matrix's leading part keeps: products of it with numbers of 12 bits are exact.
_LEADING = 2.0**11

#: Summands of a matrix.
Matrix = tuple[Operand, ...]


def dft(body: Body) -> None:
    """Transform along one axis."""
    import onnx

    place = body.place
    rank, axis = place.rank(), _axis(body)
    if place.kind(0) != onnx.TensorProto.FLOAT:
        raise place.refusal("its numbers are not float32")
    inverse, onesided = (bool(place.attribute(name, 0)) for name in ("inverse", "onesided"))
    back = inverse and onesided
    order = [one for one in range(rank - 1) if one != axis] + [axis]
    real, imaginary = _parts(body, order)
    if _is_free(body, axis) and not back:
        matrices = free_matrices(body, body.sizes(real, rank - 2), inverse=inverse, half=onesided)
        found = _turned(body, real, imaginary, matrices)
    else:
        rows, length = _rows(body, axis, back=back)
        columns = length // 2 + 1 if onesided and not inverse else length
        cosine, sine = _matrices((rows, columns, length), inverse=inverse, back=back)
        real, imaginary = _kept(body, real, rows), _kept(body, imaginary, rows)
        if back:
            found = [body("Sub", _times(body, real, cosine), _times(body, imaginary, sine))]
        else:
            found = _turned(body, real, imaginary, (cosine, sine))
    undo = [order.index(one) for one in range(rank - 1)]
    made = [body.unsqueeze(body.permute(one, undo), rank - 1) for one in found]
    body.give(body.join(*made, axis=rank - 1))


def stft(body: Body) -> None:
    """Cut frames, weigh them and transform each."""
    place = body.place
    signal, step = place.node.input[:2]
    length = ints(_frame_length(body))
    step = body("Reshape", step, ints(1))
    room = body("Sub", body.sizes(signal, 1), length)
    frames = body("Add", body("Div", room, step), ints(1))
    starts = body.unsqueeze(body("Mul", body.count(frames), step), 1)
    index = body("Add", starts, np.arange(int(length[0]))[None])
    cut = body("Gather", signal, index, at={"axis": 1})
    if place.has(2):
        cut = body("Mul", cut, body.unsqueeze(place.node.input[2], 1))
    onesided = place.attribute("onesided", 1)
    if place.facts.opset >= 20:
        body.give(body("DFT", cut, "", np.array(2, np.int64), at={"onesided": onesided}))
    else:
        body.give(body("DFT", cut, at={"onesided": onesided, "axis": 2}))


def _frame_length(body: Body) -> int:
    place = body.place
    if place.has(2):
        return place.size(0, 2)
    stated = place.constant(3)
    if stated is None:
        raise place.refusal("its input 'frame_length' is not a constant")
    return int(stated.reshape(-1)[0])


def _axis(body: Body) -> int:
    place, axis = body.place, body.place.attribute("axis", 1)
    if place.facts.opset >= 20:
        stated = place.constant(2) if place.has(2) else np.array(-2)
        if stated is None:
            raise place.refusal("its input 'axis' is not a constant")
        axis = int(stated.reshape(-1)[0])
    return int(axis) % place.rank()


def _is_free(body: Body, axis: int) -> bool:
    """Tell whether the axis is as long as the input of the moment has it."""
    return not body.place.has(1) and (body.place.shape(0) or ())[axis] is None


def _rows(body: Body, axis: int, *, back: bool) -> tuple[int, int]:
    """Give how many values go in, and how long the transform is."""
    place = body.place
    size = place.size(axis)
    if not place.has(1):
        return size, 2 * (size - 1) if back else size
    stated = place.constant(1)
    if stated is None:
        raise place.refusal("its input 'dft_length' is not a constant")
    length = int(stated.reshape(-1)[0])
    return min(size, length // 2 + 1 if back else length), length


def _parts(body: Body, order: list[int]) -> tuple[str, str]:
    """Give real and imaginary parts, '' where there are none, the axis last."""
    x, rank = body.place.node.input[0], body.place.rank()
    parts = []
    for number in range(body.place.size(rank - 1)):
        part = body("Slice", x, ints(number), ints(number + 1), ints(rank - 1))
        parts.append(body.permute(body.squeeze(part, rank - 1), order))
    return parts[0], parts[1] if len(parts) > 1 else ""


def _kept(body: Body, value: str, rows: int) -> str:
    if not value:
        return value
    return body("Slice", value, ints(0), ints(rows), ints(body.place.rank() - 2))


def _turned(body: Body, real: str, imaginary: str, matrices: tuple[Matrix, Matrix]) -> list[str]:
    cosine, sine = matrices
    found = [_times(body, real, cosine), _times(body, real, sine)]
    if imaginary:
        found = [
            body("Sub", found[0], _times(body, imaginary, sine)),
            body("Add", found[1], _times(body, imaginary, cosine)),
        ]
    return found


def _times(body: Body, value: str, matrix: Matrix) -> str:
    products = [body("MatMul", value, summand) for summand in matrix]
    return products[0] if len(products) == 1 else body("Add", *products)


def _matrices(sizes: tuple[int, int, int], *, inverse: bool, back: bool) -> tuple[Matrix, Matrix]:
    """Make cosines and sines."""
    rows, columns, n = sizes
    angle = np.outer(np.arange(rows), np.arange(columns)) % n * (2 * np.pi / n)
    cosine, sine = np.cos(angle), np.sin(angle) * (1 if inverse else -1)
    if inverse:
        weight = np.full((rows, 1), 2.0 if back else 1.0)
        weight[0] = 1
        if back and n % 2 == 0:
            weight[n // 2 :] = 1
        cosine, sine = cosine * weight / n, sine * weight / n
    return _split(cosine), _split(sine)


def _split(matrix: np.ndarray) -> Matrix:
    """Split into what few bits hold and the rest: sums that cancel then do so exactly."""
    scale = _LEADING / max(float(np.abs(matrix).max()), 1e-30)
    leading = np.round(matrix * scale) / scale
    return leading.astype(np.float32), (matrix - leading).astype(np.float32)


DFT = Rewrite(
    operator="DFT",
    fault="mistakes the axis and the shapes, and loses digits",
    cases=("dft_opset19", "dft_irfft_opset19", "dft_rfft_opset19"),
    apply=dft,
)

STFT = Rewrite(
    operator="STFT",
    fault="wants a constant step",
    cases=("stft_with_window",),
    apply=stft,
)
