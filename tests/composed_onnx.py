"""Put the parts of a split ONNX model together again, with the product's own tables and lookups."""

import contextlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnxruntime

from converters.tables import write_table
from registry.composition import Split
from registry.progress import silent
from targets.embedding.ids import IdsProgram
from targets.embedding.part import EmbeddingPart
from targets.embedding.tables import open_table

Arrays = Mapping[str, np.ndarray]


class ComposedOnnx:
    """A split as it lies in a folder; its tables are written beside it."""

    def __init__(self, split: Split, folder: Path) -> None:
        self.split, self.folder = split, folder
        origins = {origin.table: origin for origin in split.origins}
        self.tables = [
            write_table(one, origins[one.name], folder, folder / "cut", 1 << 14, silent).table
            for one in split.tables
        ]
        self._dense = _session(folder / "dense" / "model.onnx")
        self._programs = [IdsProgram(folder / one.folder) for one in split.id_programs]

    def run(self, arrays: Arrays) -> dict[str, np.ndarray]:
        """Answer with all parts."""
        with contextlib.ExitStack() as stack:
            tables = {
                one.name: stack.enter_context(open_table(one, self.folder / "cut"))
                for one in self.tables
            }
            part = EmbeddingPart(tuple(arrays), self._programs, self.split.lookups, tables)
            return _run(self._dense, part.run(arrays))


def _run(session: onnxruntime.InferenceSession, arrays: Arrays) -> dict[str, np.ndarray]:
    names = [one.name for one in session.get_outputs()]
    given = {one.name: arrays[one.name] for one in session.get_inputs()}
    return dict(zip(names, session.run(names, given), strict=True))


def _session(file: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
