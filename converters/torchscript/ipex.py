"""What IPEX does to a module before it is traced: weights laid out, narrowed, quantised."""

from pathlib import Path
from typing import Any

from converters.converter import ConvertOptions
from converters.quiet import quiet
from converters.torchscript.examples import Examples, choices, example_inputs
from registry.errors import ConversionError
from registry.require import require
from registry.signature import Layout, Precision

#: Layers that each precision is for, by their names in torch.nn.
_CONVOLUTIONS = ("Conv1d", "Conv2d", "Conv3d", "ConvTranspose2d", "ConvTranspose3d")
_LAYERS: dict[Precision, tuple[str, ...]] = {"bf16": ("Linear", *_CONVOLUTIONS), "i8": ("Linear",)}


def optimise(module: Any, given: Examples, options: ConvertOptions, file: Path) -> Any:  # noqa: ANN401 - untyped
    """Return what is to be traced in the module's place; its weights are the module's no more.

    Raises:
        ConversionError: IPEX has no such precision, or nothing in the model takes it.
    """
    torch, ipex = (
        require("torch", extra="convert"),
        require("intel_extension_for_pytorch", extra="convert"),
    )
    _check(module, options.weights, file)
    with quiet("ipex", "IPEX"), torch.no_grad():
        _lay_out(ipex, options.layout)
        if options.weights == "i8":
            module = _quantised(module, given)
        dtype = torch.bfloat16 if options.weights == "bf16" else torch.float32
        # What it folds by tracing again would lose the arithmetic of shapes.
        folding = {"conv_bn_folding": False, "linear_bn_folding": False}
        try:
            module = ipex.optimize(module, dtype=dtype, inplace=True, **folding)
        except Exception as error:
            what = f"IPEX cannot lay out weights in {options.weights} on this host"
            raise ConversionError(f"{file}: {what}: {error}") from error
    return _wrapped(module, given, options)


def _check(module: Any, weights: Precision, file: Path) -> None:  # noqa: ANN401 - untyped
    if weights == "f32":
        return
    if weights not in _LAYERS:
        raise ConversionError(f"{file}: IPEX does not compute in {weights}; take f32, bf16 or i8")
    kinds = {type(layer).__name__ for layer in module.modules()}
    if not kinds & set(_LAYERS[weights]):
        wanted = "product by a stored matrix" + (" or convolution" if weights == "bf16" else "")
        raise ConversionError(
            f"{file}: nothing in it would be computed in {weights}: it has no {wanted}. Take "
            "precision: f32"
        )


def _lay_out(ipex: Any, layout: Layout) -> None:  # noqa: ANN401 - untyped
    """Say how filters are laid out, for this process."""
    switch = (
        ipex.disable_auto_channels_last
        if layout == "contiguous"
        else (ipex.enable_auto_channels_last)
    )
    switch()


def _quantised(module: Any, given: Examples) -> Any:  # noqa: ANN401 - untyped
    """Quantise products by stored matrices; the scales of what goes in are found in each run."""
    quantization = require("intel_extension_for_pytorch.quantization", extra="convert")
    inputs = _taken(module, given)
    mapping = quantization.default_dynamic_qconfig_mapping
    prepared = quantization.prepare(module, mapping, example_inputs=inputs, inplace=True)
    return quantization.convert(prepared, inplace=True)


def _taken(module: Any, given: Examples) -> tuple[Any, ...]:  # noqa: ANN401 - untyped
    """Return the first inputs that the module takes; where it takes none, the trace will say."""
    inputs: tuple[Any, ...] = ()
    for sizes, *_ in choices(given):
        inputs = example_inputs(given, sizes)
        try:
            module(*inputs)
        except Exception:  # noqa: BLE001, S112 - what a framework raises has no kind
            continue
        break
    return inputs


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
