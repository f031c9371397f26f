"""Int8 by IPEX: scales of activations are found in each request, or once on recorded samples."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from converters.calibration import read_calibration, read_feeds
from converters.converter import ConvertOptions
from converters.ipex.layers import calibrate_layers
from converters.torchscript.examples import Examples, choices, example_inputs
from registry.errors import ConversionError
from registry.require import require

#: Layers that are computed in int8, by their names in torch.nn.
OF_EACH_REQUEST = ("Linear",)
CALIBRATED = (*OF_EACH_REQUEST, "Conv2d", "Conv3d", "ConvTranspose2d", "ConvTranspose3d")


def quantise(module: Any, given: Examples, options: ConvertOptions, file: Path) -> Any:  # noqa: ANN401 - untyped
    """Return the module in int8; its weights are the module's no more.

    Raises:
        ConversionError: IPEX cannot, or nothing says what the part is fed.
    """
    if options.calibrated is None:
        return _of_each_request(module, given)
    if options.feeds is None:
        raise ConversionError(f"{file}: there is nothing to calibrate it with")
    batches = list(_batches(given, options.feeds))
    try:
        return calibrate_layers(module, CALIBRATED, batches, _config(options.calibrated.bits))
    except Exception as error:
        raise ConversionError(
            f"{file}: IPEX cannot quantise it with stored scales: {error}. Take `calibration` out "
            "of the target: scales are then found in each request"
        ) from error


def told(options: ConvertOptions) -> str:
    """Say how values are brought to int8; nothing where they are not."""
    if options.weights != "i8":
        return ""
    if options.calibrated is None or options.feeds is None:
        return "scales of each request"
    return f"{options.calibrated.bits} bits, scales of {read_calibration(options.feeds)}"


def _of_each_request(module: Any, given: Examples) -> Any:  # noqa: ANN401 - untyped
    """Quantise products by stored matrices."""
    quantization = require("intel_extension_for_pytorch.quantization", extra="convert")
    inputs = _taken(module, given)
    mapping = quantization.default_dynamic_qconfig_mapping
    prepared = quantization.prepare(module, mapping, example_inputs=inputs, inplace=True)
    return quantization.convert(prepared, inplace=True)


def _config(bits: int) -> Any:  # noqa: ANN401 - untyped
    """Say how ranges are observed: of weights for each channel, of values for all together.

    A histogram may leave out what hardly comes. The largest error of the example of digits is 0.13
    with it and 0.18 with least and greatest values; of the recommender, 0.034 and 0.032.
    """
    torch = require("torch", extra="convert")
    observers = require("torch.ao.quantization", extra="convert")
    weights = observers.PerChannelMinMaxObserver.with_args(
        dtype=torch.qint8, qscheme=torch.per_channel_symmetric
    )
    values = observers.HistogramObserver.with_args(quant_min=0, quant_max=2**bits - 1)
    config = observers.QConfig(activation=values, weight=weights)
    return observers.QConfigMapping().set_global(config)


def _batches(given: Examples, feeds: Path) -> Iterator[tuple[Any, ...]]:
    torch = require("torch", extra="convert")
    for batch in read_feeds(feeds):
        yield tuple(torch.from_numpy(np.array(batch[one.name])) for one in given.signature.inputs)


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
