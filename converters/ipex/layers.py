"""Layers of a module in int8, one by one, with scales that are found on what they are fed.

IPEX would look at the whole module, and take the arithmetic of shapes for that of values: a trace
then has operators that it did not see. A layer by itself has none.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from registry.require import require

#: Inputs of a module, in their order.
Batch = tuple[Any, ...]


def calibrate_layers(
    module: Any,  # noqa: ANN401 - untyped
    kinds: Collection[str],
    batches: Sequence[Batch],
    config: Any,  # noqa: ANN401 - untyped
) -> Any:  # noqa: ANN401 - untyped
    """Put layers in int8 in the place of those that the batches reach, and return the module.

    Args:
        kinds: Names of classes in torch.nn.
        config: How ranges are observed, as IPEX is told it.
    """
    quantization = require("intel_extension_for_pytorch.quantization", extra="convert")
    layers = {name: one for name, one in module.named_modules() if type(one).__name__ in kinds}
    seen = _first_inputs(module, layers, batches)
    for name, x in seen.items():
        alone = _alone(layers[name])
        observed = quantization.prepare(
            alone, config, example_inputs=(x,), bn_folding=False, inplace=True
        )
        module.set_submodule(name, _plain(observed))
    for batch in batches:
        module(*batch)
    for name in seen:
        observed = module.get_submodule(name).inner
        module.set_submodule(name, _plain(quantization.convert(observed, inplace=True)))
    return module


def _first_inputs(
    module: Any,  # noqa: ANN401 - untyped
    layers: dict[str, Any],
    batches: Sequence[Batch],
) -> dict[str, Any]:
    """Return what each layer is fed first; a branch may keep some from being fed at all."""
    seen: dict[str, Any] = {}

    def look(name: str) -> Callable[[Any, Batch], None]:
        def keep(_: Any, inputs: Batch) -> None:  # noqa: ANN401 - untyped
            seen.setdefault(name, inputs[0].detach())

        return keep

    hooks = [layer.register_forward_pre_hook(look(name)) for name, layer in layers.items()]
    for batch in batches:
        if len(seen) < len(layers):
            module(*batch)
    for hook in hooks:
        hook.remove()
    return seen


def _alone(layer: Any) -> Any:  # noqa: ANN401 - untyped
    """Make a module of one layer: IPEX quantises those that another one calls."""
    torch = require("torch", extra="convert")

    class Alone(torch.nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layer = layer

        def forward(self, x: Any) -> Any:  # noqa: ANN401 - untyped
            return self.layer(x)

    return Alone().eval()


def _plain(inner: Any) -> Any:  # noqa: ANN401 - untyped
    """Give plain tensors, not those that tell IPEX of all that is done with them."""
    torch = require("torch", extra="convert")

    class Plain(torch.nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.inner = inner

        def forward(self, x: Any) -> Any:  # noqa: ANN401 - untyped
            return self.inner(x).as_subclass(torch.Tensor)

    return Plain().eval()
