"""Factories and modules that no model can be made from."""

import pytest

from registry.errors import SourceError, WorkerError
from tests.bench import ROOT


def source(factory: str, **more: object) -> dict[str, object]:
    path = str(ROOT / "tests")
    return {"kind": "torch", "factory": f"bad_models:{factory}", "path": path} | more


FACTORIES = {
    "that raises": ("raises", ("ValueError", "vocabulary is not there", "bad_models.py:")),
    "that leaves": ("leaves", ("bad_models:leaves", "SystemExit")),
    "that is not there": ("soud", ("no 'soud'", "did you mean 'sound'")),
    "that is a number": ("a_number", ("is of type int, not a callable",)),
    "that wants an argument": ("needs_an_argument", ("missing 1 required", "width")),
    "that returns a list": ("returns_a_list", ("a list, not a torch.nn.Module",)),
    "that returns nothing": ("returns_nothing", ("returned nothing, not a torch.nn.Module",)),
    "that returns a class": ("returns_the_class", ("not a torch.nn.Module",)),
}


@pytest.mark.parametrize("fault", FACTORIES)
def test_a_factory(bench, fault):
    factory, words = FACTORIES[fault]
    bench.refuses_job(SourceError, *words, source=source(factory))


def test_a_factory_that_wants_more_memory_than_there_is(bench):
    words = ("split: ran out of memory", "you tried to allocate", "limit")
    bench.refuses_job(WorkerError, *words, source=source("Hungry"))


MODULES = {
    "that does not parse": ("def build(:\n", ("SyntaxError", "bad.py")),
    "that imports what is not there": ("import not_there\n", ("not_there", "bad.py:1")),
    "that leaves": ("import sys\nsys.exit(3)\n", ("importing bad", "SystemExit")),
    "of bytes that are no text": (b"\xff\xfe\x00", ("bad",)),
}


@pytest.mark.parametrize("fault", MODULES)
def test_a_module(bench, fault):
    text, words = MODULES[fault]
    data = text if isinstance(text, bytes) else text.encode()
    (bench.folder / "bad.py").write_bytes(data)
    bench.refuses_job(SourceError, *words, source={"kind": "torch", "factory": "bad:build"})


def test_a_module_that_is_not_there(bench):
    job = {"kind": "torch", "factory": "nowhere:build"}
    bench.refuses_job(SourceError, "module nowhere is not there", "source.path", source=job)
