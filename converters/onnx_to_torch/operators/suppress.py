"""Non-maximum suppression."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def suppress(
    boxes: Tensor,
    scores: Tensor,
    most: Tensor | None = None,
    overlap: Tensor | None = None,
    least: Tensor | None = None,
    *,
    center_point_box: int = 0,
) -> Tensor:
    """NonMaxSuppression-10 and 11: rows of batch, class and box, the best box first."""
    import torch

    if torch.jit.is_tracing():
        raise TypeError("NonMaxSuppression cannot be traced: what it keeps would be kept for good")
    limit = 0 if most is None else int(most)
    threshold = 0.0 if overlap is None else float(overlap)
    corners = _corners(boxes, center_point_box)
    rows = [torch.empty([0, 3], dtype=torch.int64)]
    for batch in range(scores.shape[0]):
        alike = _overlaps(corners[batch]) > threshold
        for label in range(scores.shape[1]):
            kept = _best(scores[batch, label], alike, least)[:limit]
            rows += [torch.tensor([[batch, label, box]]) for box in kept]
    return torch.cat(rows)


def _best(scores: Tensor, alike: Tensor, least: Tensor | None) -> list[int]:
    """Take boxes in the order of their scores, unless a better one is like them."""
    import torch

    kept: list[int] = []
    for box in torch.sort(scores, descending=True, stable=True).indices.tolist():
        if least is not None and not scores[box] > least.reshape(()):
            continue
        if not any(bool(alike[box, other]) for other in kept):
            kept.append(box)
    return kept


def _corners(boxes: Tensor, center: int) -> Tensor:
    """Give the lower corner, then the upper one."""
    import torch

    first, second = boxes[..., :2], boxes[..., 2:]
    if center:
        return torch.cat([first - second / 2, first + second / 2], -1)
    return torch.cat([torch.minimum(first, second), torch.maximum(first, second)], -1)


def _overlaps(corners: Tensor) -> Tensor:
    """Give the intersection over the union of each pair."""
    import torch

    low, high = corners[:, :2], corners[:, 2:]
    area = (high - low).prod(-1)
    sides = torch.minimum(high.unsqueeze(1), high) - torch.maximum(low.unsqueeze(1), low)
    shared = sides.clamp(min=0).prod(-1)
    return shared / (area.unsqueeze(1) + area - shared)
