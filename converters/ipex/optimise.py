"""What IPEX does to a module before it is traced: weights laid out, narrowed, quantised."""

from pathlib import Path
from typing import Any

from converters.converter import ConvertOptions
from converters.ipex.int8 import CALIBRATED, OF_EACH_REQUEST, quantise
from converters.quiet import quiet
from converters.torchscript.examples import Examples
from registry.errors import ConversionError
from registry.require import require
from registry.signature import Layout

#: Layers that bf16 is for, by their names in torch.nn.
_BF16 = ("Linear", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose2d", "ConvTranspose3d")


def optimise(module: Any, given: Examples, options: ConvertOptions, file: Path) -> Any:  # noqa: ANN401 - untyped
    """Return what is to be traced in the module's place; its weights are the module's no more.

    Raises:
        ConversionError: IPEX has no such precision, or nothing in the model takes it.
    """
    torch, ipex = (
        require("torch", extra="convert"),
        require("intel_extension_for_pytorch", extra="convert"),
    )
    _check(module, options, file)
    with quiet("ipex", "IPEX"), torch.no_grad():
        _lay_out(ipex, options.layout)
        if options.weights == "i8":
            module = quantise(module, given, options, file)
        if options.calibrated is None:
            module = _prepacked(module, options, file)
    return _wrapped(module, given, options)


def _prepacked(module: Any, options: ConvertOptions, file: Path) -> Any:  # noqa: ANN401 - untyped
    """Lay weights out for IPEX's kernels; what is calibrated is laid out when it is loaded."""
    torch, ipex = (
        require("torch", extra="convert"),
        require("intel_extension_for_pytorch", extra="convert"),
    )
    if options.weights == "bf16" and not ipex._C.onednn_has_bf16_support():
        raise ConversionError(
            "weights in bf16: this host's CPU has no avx512_bf16, without which they are not laid "
            "out. Run the job on a host that has it, or take precision: f32"
        )
    dtype = torch.bfloat16 if options.weights == "bf16" else torch.float32
    # What it folds by tracing again would lose the arithmetic of shapes.
    folding = {"conv_bn_folding": False, "linear_bn_folding": False}
    try:
        return ipex.optimize(module, dtype=dtype, inplace=True, **folding)
    except Exception as error:
        what = f"IPEX cannot lay out weights in {options.weights} on this host"
        raise ConversionError(f"{file}: {what}: {error}") from error


def _check(module: Any, options: ConvertOptions, file: Path) -> None:  # noqa: ANN401 - untyped
    weights = options.weights
    if weights == "f32":
        return
    if weights not in ("bf16", "i8"):
        raise ConversionError(f"{file}: IPEX does not compute in {weights}; take f32, bf16 or i8")
    takes = _takes(options)
    if not {type(layer).__name__ for layer in module.modules()} & set(takes):
        wanted = "product by a stored matrix" + (" or convolution" if len(takes) > 1 else "")
        raise ConversionError(
            f"{file}: nothing in it would be computed in {weights}: it has no {wanted}. Take "
            "precision: f32"
        )


def _takes(options: ConvertOptions) -> tuple[str, ...]:
    """Name the layers that a precision is for."""
    if options.weights == "bf16":
        return _BF16
    return OF_EACH_REQUEST if options.calibrated is None else CALIBRATED


def _lay_out(ipex: Any, layout: Layout) -> None:  # noqa: ANN401 - untyped
    """Say how filters are laid out, for this process."""
    switch = (
        ipex.disable_auto_channels_last
        if layout == "contiguous"
        else (ipex.enable_auto_channels_last)
    )
    switch()


def _wrapped(module: Any, given: Examples, options: ConvertOptions) -> Any:  # noqa: ANN401 - untyped
    """Take and give tensors as the signature has them, whatever is computed in between."""
    torch = require("torch", extra="convert")
    wanted = [getattr(torch, tensor.dtype.value) for tensor in given.signature.outputs]
    innermost = options.layout == "channels_last"

    class Wrapped(torch.nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.inner = module

        def forward(self, *inputs: Any) -> tuple[Any, ...]:  # noqa: ANN401 - untyped
            laid = [_innermost(x) if innermost else x for x in inputs]
            narrow = options.weights == "bf16"
            with torch.autocast("cpu", torch.bfloat16, narrow, cache_enabled=False):
                made = self.inner(*laid)
            return tuple(_as(x, kind) for x, kind in zip(made, wanted, strict=True))

    return Wrapped().eval()


def _as(x: Any, kind: Any) -> Any:  # noqa: ANN401 - untyped
    return x if x.dtype == kind else x.to(kind)


def _innermost(x: Any) -> Any:  # noqa: ANN401 - untyped
    torch = require("torch", extra="convert")
    return x.contiguous(memory_format=torch.channels_last) if x.dim() == 4 else x
