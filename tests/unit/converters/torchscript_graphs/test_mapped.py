"""Large weights of TorchScript files stay in their files."""

from pathlib import Path

import numpy as np
import pytest
import torch

from converters.checkpoints.stored import mapped
from converters.torchscript_graphs.mapped import load_mapped

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.:DeprecationWarning")

ROWS = 1 << 16


class Tied(torch.nn.Module):
    """Looks up in a large table, multiplies by it, and by a half of another."""

    def __init__(self) -> None:
        super().__init__()
        self.table = torch.nn.Embedding(ROWS, 8)
        self.out = torch.nn.Linear(8, ROWS, bias=False)
        self.out.weight = self.table.weight
        whole = torch.randn(2 * ROWS, 8)
        self.register_buffer("lower", whole[ROWS:])
        self.register_buffer("turned", whole.T)

    def forward(self, x):
        found = self.table(x)
        return self.out(found)[:, :4], self.lower[x] + self.turned[0, x][:, None]


class Listed(torch.nn.Module):
    """Holds a large tensor where no name leads to."""

    def __init__(self) -> None:
        super().__init__()
        self.table = torch.nn.Embedding(ROWS, 8)
        self.tables = [torch.randn(ROWS, 8)]

    def forward(self, x):
        return self.table(x) + self.tables[0][x]


class Aliased(torch.nn.Module):
    """Holds a weight in a list, too."""

    def __init__(self) -> None:
        super().__init__()
        self.table = torch.nn.Embedding(ROWS, 8)
        self.tables = [self.table.weight.detach()]

    def forward(self, x):
        return self.table(x) + self.tables[0][x]


class Restored(torch.nn.Module):
    """Runs code of its own while it is loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("table", torch.randn(ROWS, 8))

    @torch.jit.export
    def __getstate__(self):
        return (self.table, self.training)

    @torch.jit.export
    def __setstate__(self, state: tuple[torch.Tensor, bool]):
        self.table = state[0] * 1.0
        self.training = state[1]

    def forward(self, x):
        return self.table[x]


class Twice(torch.nn.Module):
    """Has two large weights of one shape."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Embedding(ROWS, 8)
        self.second = torch.nn.Embedding(ROWS, 8)

    def forward(self, x):
        return self.first(x) + self.second(x)


def written(module, folder) -> Path:
    file = folder / "model.ts"
    torch.jit.script(module.eval()).save(file)
    return file


def test_large_weights_lie_in_the_file_and_answer_alike(tmp_path):
    module = Tied()
    file = written(module, tmp_path)
    found = load_mapped(file)
    held = dict(found.script.named_buffers()) | dict(found.script.named_parameters())
    assert set(found.places) == set(held) == {"table.weight", "lower", "turned"}
    assert found.script.out.weight.data_ptr() == held["table.weight"].data_ptr()
    for name, tensor in held.items():
        assert in_file(tensor, file)
        assert np.array_equal(mapped(found.places[name]), tensor.detach().numpy())
    x = torch.tensor([3, ROWS - 1])
    for _ in range(3):
        assert all(map(torch.equal, found.script(x), module(x)))
    with torch.no_grad():
        held["table.weight"][3] = 0
    assert torch.equal(load_mapped(file).script(x)[0], module(x)[0])


@pytest.mark.parametrize("made", [Listed, Aliased, Restored], ids=lambda one: one.__name__)
def test_what_cannot_be_followed_is_read_whole(made, tmp_path):
    module = made()
    found = load_mapped(written(module, tmp_path))
    x = torch.tensor([3, ROWS - 1])
    assert not found.places
    assert torch.equal(found.script(x), module(x))


def test_constants_of_one_shape_are_read_whole(tmp_path):
    module = Twice()
    torch.jit.freeze(torch.jit.script(module.eval())).save(tmp_path / "model.ts")
    x = torch.tensor([3, ROWS - 1])
    assert torch.equal(load_mapped(tmp_path / "model.ts").script(x), module(x))


def in_file(tensor: torch.Tensor, file: Path) -> bool:
    """Say whether a tensor's memory is a mapping of a file."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, *_, path = line.split(maxsplit=5)
        first, last = (int(one, 16) for one in span.split("-"))
        if first <= tensor.data_ptr() < last:
            return path == str(file)
    return False
