"""Models of pytorch-widedeep, without what its own start imports, and as a job has their inputs."""

import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec

import torch

from benchmarks.zoo.vision import declare

#: What starts with readers of texts and of images (gensim, spacy, opencv), which no model needs.
_BARE = ("pytorch_widedeep", "pytorch_widedeep.utils")

#: Columns of a matrix: names of inputs, joined by this.
AND = "+"


def load() -> None:
    """Make the models importable; the types come first, as models and types import each other."""
    declare()
    path = None
    for name in _BARE:
        spec = PathFinder.find_spec(name, path)
        if spec is None:
            raise ModuleNotFoundError(name)
        sys.modules[name] = module_from_spec(spec)
        path = spec.submodule_search_locations
    import_module("pytorch_widedeep.wdtypes")


class Served(torch.nn.Module):
    """Hand on a dict of components, each a matrix whose columns are those of some inputs.

    A component of several models takes a list, of a matrix each.
    """

    def __init__(
        self, model: torch.nn.Module, names: tuple[str, ...], parts: Mapping[str, tuple[str, ...]]
    ) -> None:
        super().__init__()
        self.model, self.names, self.parts = model, names, parts

    def forward(self, *tensors: torch.Tensor) -> object:
        return self.model(self.handed(*tensors))

    def handed(self, *tensors: torch.Tensor) -> dict[str, object]:
        given = dict(zip(self.names, tensors, strict=True))
        made: dict[str, object] = {}
        for part, groups in self.parts.items():
            joined = [[given[name] for name in group.split(AND)] for group in groups]
            ready = [torch.cat(one, 1) if len(one) > 1 else one[0] for one in joined]
            made[part] = ready if len(ready) > 1 else ready[0]
        return made


class Bare(Served):
    """Hand on the matrix of the one component."""

    def forward(self, *tensors: torch.Tensor) -> object:
        (matrix,) = self.handed(*tensors).values()
        return self.model(matrix)


load()
