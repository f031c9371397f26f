"""What is done to growing sequences, in TorchScript, which a trace keeps as it is.

A sequence is the four tensors of `converters.onnx_to_torch.growing`. Annotations of what
TorchScript reads are not quoted, and what it calls is a variable around it.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

from converters.onnx_to_torch.scripting import script

Step: TypeAlias = Callable[..., Any]


@cache
def inserting() -> Step:
    """Put an element before a place, from 0 to the length."""
    import torch

    append = _appending()

    def run(
        sequence: list[torch.Tensor], value: torch.Tensor, position: torch.Tensor
    ) -> list[torch.Tensor]:
        length, place = int(sequence[2][1]), int(position)
        place = place + length if place < 0 else place
        if place < 0 or place > length:
            raise IndexError("SequenceInsert: there is no such place")
        if place == length:
            appended: list[torch.Tensor] = append(sequence, value)
            return appended
        flat, rows, count = sequence[0], sequence[1], value.numel()
        start, end = int(rows[place, 0]), int(sequence[2][0])
        row = torch.tensor([start, count] + value.size())  # noqa: RUF005 (TorchScript)
        later = rows[place:length].clone()
        later[:, 0] += count
        used = torch.tensor([end + count, length + 1])
        return [
            torch.cat([flat[:start], value.reshape(-1), flat[start:end]]),
            torch.cat([rows[:place], row.unsqueeze(0), later]),
            used,
            used.clone(),
        ]

    return script(run)


@cache
def _appending() -> Step:
    import torch

    def run(sequence: list[torch.Tensor], value: torch.Tensor) -> list[torch.Tensor]:
        flat, rows, used, filled = sequence[0], sequence[1], sequence[2], sequence[3]
        start, length, count = int(used[0]), int(used[1]), value.numel()
        full = start + count > flat.size(0) or length + 1 > rows.size(0)
        if full or not torch.equal(used, filled):
            wider = flat.new_empty([2 * (start + count)])
            wider[:start] = flat[:start]
            longer = rows.new_empty([2 * (length + 1), rows.size(1)])
            longer[:length] = rows[:length]
            flat, rows, filled = wider, longer, used.clone()
        flat[start : start + count] = value.reshape(-1)
        rows[length] = torch.tensor([start, count] + value.size())  # noqa: RUF005 (TorchScript)
        filled[0] = start + count
        filled[1] = length + 1
        return [flat, rows, filled.clone(), filled]

    return script(run)


@cache
def erasing() -> Step:
    """Leave an element out."""
    import torch

    def run(sequence: list[torch.Tensor], position: torch.Tensor) -> list[torch.Tensor]:
        flat, rows, length, place = sequence[0], sequence[1], int(sequence[2][1]), int(position)
        place = place + length if place < 0 else place
        if place < 0 or place >= length:
            raise IndexError("SequenceErase: there is no such place")
        start, count, end = int(rows[place, 0]), int(rows[place, 1]), int(sequence[2][0])
        later = rows[place + 1 : length].clone()
        later[:, 0] -= count
        used = torch.tensor([end - count, length - 1])
        return [
            torch.cat([flat[:start], flat[start + count : end]]),
            torch.cat([rows[:place], later]),
            used,
            used.clone(),
        ]

    return script(run)


@cache
def taking() -> Step:
    """Take an element."""
    import torch

    def run(sequence: list[torch.Tensor], position: torch.Tensor) -> torch.Tensor:
        length, place = int(sequence[2][1]), int(position)
        place = place + length if place < 0 else place
        if place < 0 or place >= length:
            raise IndexError("SequenceAt: there is no such place")
        row: list[int] = sequence[1][place].tolist()
        return sequence[0][row[0] : row[0] + row[1]].reshape(row[2:])

    return script(run)


@cache
def joining() -> Step:
    """Join all elements."""
    import torch

    def run(
        sequence: list[torch.Tensor],
        axis: int,
        stacked: bool,  # noqa: FBT001 (TorchScript)
    ) -> torch.Tensor:
        rows: list[list[int]] = sequence[1][: int(sequence[2][1])].tolist()
        pieces: list[torch.Tensor] = []
        for row in rows:
            pieces.append(sequence[0][row[0] : row[0] + row[1]].reshape(row[2:]))  # noqa: PERF401
        return torch.stack(pieces, axis) if stacked else torch.cat(pieces, axis)

    return script(run)


@cache
def splitting() -> Step:
    """Append the parts of a tensor."""
    import torch

    append = _appending()

    def run(
        sequence: list[torch.Tensor],
        x: torch.Tensor,
        sizes: torch.Tensor,
        axis: int,
        keepdims: bool,  # noqa: FBT001 (TorchScript)
    ) -> list[torch.Tensor]:
        if sizes.dim() == 0:
            parts = torch.split(x, int(sizes), axis)
        else:
            each: list[int] = sizes.tolist()
            parts = torch.split(x, each, axis)
        for part in parts:
            sequence = append(sequence, part if keepdims else part.squeeze(axis))
        return sequence

    return script(run)
