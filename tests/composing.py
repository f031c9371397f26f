"""Put a split's parts together again, with the product's own lookups."""

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
import torch

from converters.programs.export import export_program
from converters.programs.files import load_program
from converters.split.program import split_program
from converters.torch_to_onnx import export_onnx
from registry.composition import Shard, Split
from targets.embedding.ids import IdsProgram
from targets.embedding.part import EmbeddingPart
from targets.embedding.tables import MappedTable, open_table
from tests.models import Model

Arrays = Mapping[str, np.ndarray]


class Composed:
    """A split as it lies in a folder, with all its tables in `origins/`."""

    def __init__(self, split: Split, folder: Path) -> None:
        self.split, self.folder = split, folder
        self.program, self.signature = load_program(folder / split.dense.folder)
        self._module = self.program.module()
        self._programs = [IdsProgram(folder / one.folder) for one in split.id_programs]

    def vectors(self, arrays: Arrays) -> dict[str, np.ndarray]:
        """Work out ids and look all rows up."""
        with self._tables() as tables:
            part = EmbeddingPart(tuple(arrays), self._programs, self.split.lookups, tables)
            known = part.run(arrays)
        return {lookup.output: known[lookup.output] for lookup in self.split.lookups}

    def run(self, arrays: Arrays) -> tuple[torch.Tensor, ...]:
        """Answer with the dense part in torch."""
        known = {**arrays, **self.vectors(arrays)}
        inputs = [torch.from_numpy(known[tensor.name]) for tensor in self.signature.inputs]
        with torch.no_grad():
            return tuple(self._module(*inputs))

    def run_onnx(self, arrays: Arrays) -> list[np.ndarray]:
        """Answer with the dense part in ONNX Runtime."""
        path = self.folder / "model.onnx"
        if not path.exists():
            export_onnx(self.program, path, self.signature)
        known = {**arrays, **self.vectors(arrays)}
        given = {tensor.name: known[tensor.name] for tensor in self.signature.inputs}
        return _session(path).run(None, given)

    @contextlib.contextmanager
    def _tables(self) -> Iterator[dict[str, MappedTable]]:
        files = {origin.table: origin.file for origin in self.split.origins}
        with contextlib.ExitStack() as stack:
            yield {
                table.name: stack.enter_context(
                    open_table(
                        table.model_copy(
                            update={
                                "shards": (Shard(file=files[table.name], start=0, rows=table.rows),)
                            }
                        ),
                        self.folder,
                    )
                )
                for table in self.split.tables
            }


@dataclass(frozen=True)
class SplitModel:
    """A model, and what the split made of it."""

    model: Model
    module: torch.nn.Module
    split: Split
    composed: Composed

    def original(self, arrays: dict[str, np.ndarray]) -> tuple[torch.Tensor, ...]:
        with torch.no_grad():
            answer = self.module(*(torch.from_numpy(array) for array in arrays.values()))
        if isinstance(answer, dict):
            return tuple(answer.values())
        return answer if isinstance(answer, tuple) else (answer,)


def split_model(model: Model, folder: Path) -> SplitModel:
    program = export_program(model.module(), model.brief())
    split = split_program(program, model.brief(), model.options, folder, lambda key: None)
    return SplitModel(model, model.module(), split, Composed(split, folder))


def _session(path: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
