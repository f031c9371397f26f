"""Fourier transforms and windows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from converters.onnx_to_torch.dtypes import ElementType, torch_dtype
from converters.onnx_to_torch.sizes import Axes, Number, Numbers, known

if TYPE_CHECKING:
    from torch import Tensor


def transform_17(
    x: Tensor,
    dft_length: Numbers | None = None,
    *,
    axis: int = 1,
    inverse: int = 0,
    onesided: int = 0,
) -> Tensor:
    """DFT-17."""
    return transform(x, dft_length, [axis], inverse=inverse, onesided=onesided)


def transform(
    x: Tensor,
    dft_length: Numbers | None = None,
    axis: Axes | None = None,
    *,
    inverse: int = 0,
    onesided: int = 0,
) -> Tensor:
    """DFT-20; the last axis holds the real, or the real and the imaginary part."""
    import torch

    along = (axis[0] if axis else -2) % x.dim()
    data = torch.view_as_complex(x.contiguous()) if known(x)[-1] == 2 else x[..., 0]
    length = dft_length[0] if dft_length else None
    if inverse and onesided:
        return torch.fft.irfft(data, length, along).unsqueeze(-1).to(x.dtype)
    made = (torch.fft.ifft if inverse else torch.fft.fft)(data, length, along)
    if onesided:
        made = made.narrow(along, 0, made.shape[along] // 2 + 1)
    return torch.view_as_real(made).to(x.dtype)


def short_time_transform(
    signal: Tensor,
    frame_step: Numbers,
    window: Tensor | None = None,
    frame_length: Numbers | None = None,
    *,
    onesided: int = 1,
) -> Tensor:
    """STFT-17: [batch, frames, frequencies, 2]."""
    length: Number = signal.shape[1]
    if frame_length:
        length = frame_length[0]
    elif window is not None:
        length = window.shape[0]
    frames = signal.unfold(1, length, frame_step[0]).transpose(2, 3)
    if window is not None:
        frames = frames * window.unsqueeze(1)
    return transform(frames, None, [2], onesided=onesided)


def _window(
    size: Numbers, periodic: int, output_datatype: int, shares: tuple[float, float, float]
) -> Tensor:
    """Give a sum of cosines."""
    import torch

    at = torch.arange(size[0]).double()
    turn = 2 * math.pi * at / (size[0] if periodic else size[0] - 1)
    made = shares[0] + shares[1] * torch.cos(turn) + shares[2] * torch.cos(2 * turn)
    return made.to(torch_dtype(output_datatype))


def hann_window(size: Numbers, *, output_datatype: ElementType = 1, periodic: int = 1) -> Tensor:
    """HannWindow-17."""
    return _window(size, periodic, output_datatype, (0.5, -0.5, 0.0))


def hamming_window(size: Numbers, *, output_datatype: ElementType = 1, periodic: int = 1) -> Tensor:
    """HammingWindow-17."""
    return _window(size, periodic, output_datatype, (25 / 46, -21 / 46, 0.0))


def blackman_window(
    size: Numbers, *, output_datatype: ElementType = 1, periodic: int = 1
) -> Tensor:
    """BlackmanWindow-17."""
    return _window(size, periodic, output_datatype, (0.42, -0.5, 0.08))


def mel_weights(
    num_mel_bins: Numbers,
    dft_length: Numbers,
    sample_rate: Numbers,
    lower_edge_hertz: Tensor,
    upper_edge_hertz: Tensor,
    *,
    output_datatype: ElementType = 1,
) -> Tensor:
    """MelWeightMatrix-17: triangles [frequencies, bins], between whole frequencies."""
    import torch

    low, high = (
        2595 * torch.log10(1 + edge.double().reshape(()) / 700)
        for edge in (lower_edge_hertz, upper_edge_hertz)
    )
    step = (high - low) / (num_mel_bins[0] + 2)
    mels = low + torch.arange(num_mel_bins[0] + 2) * step
    hertz = 700 * torch.expm1(mels * (math.log(10) / 2595))
    edges = torch.floor((dft_length[0] + 1) * hertz / sample_rate[0])
    left, middle, right = edges[:-2], edges[1:-1], edges[2:]
    at = torch.arange(dft_length[0] // 2 + 1).double().unsqueeze(1)
    rise, fall = middle - left, right - middle
    rising = torch.where(rise == 0, (at == middle).double(), (at - left) / rise.clamp(min=1))
    falling = (right - at) / fall.clamp(min=1)
    up = torch.where((at >= left) & (at <= middle), rising, 0)
    made = torch.where((fall > 0) & (at >= middle) & (at < right), falling, up)
    return made.to(torch_dtype(output_datatype))
