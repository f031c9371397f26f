"""Hold the parts of a split, run in torch, against the unsplit model: to the bit.

A stage like those of a run: its tasks name this module.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from converters.programs.files import load_program
from pipeline.processes.task import Task
from pipeline.stages.layout import link_pieces, read_pieces
from pipeline.stages.placed import WHOLE
from pipeline.stages.validate import Options, draft_of
from registry.errors import InputError
from registry.progress import Progress
from registry.signature import Frozen, Signature
from targets.embedding.part import EmbeddingPart
from targets.parity.cases import Case, read_cases
from targets.parity.compare import answered
from targets.target import Arrays

if TYPE_CHECKING:
    import torch

STAGE = "benchmarks.zoo.exact"
FILE = "exact.json"


class Exact(Frozen):
    """What `exact.json` holds.

    Attributes:
        cases: Cases that were compared.
        worst: The largest difference; 0 where all are the same to the bit.
        where: The case and the output of the largest difference, or of what else is amiss.
        spread: Standard deviation of the answers, the greatest of all outputs.
    """

    cases: int
    worst: float
    where: str
    spread: float

    @property
    def equal(self) -> bool:
        """Whether all answers are the same to the bit; 0 and -0 are the same answer."""
        return self.worst == 0


@dataclass(frozen=True)
class Composed:
    """The embedding part, and the dense program run by torch."""

    embedding: EmbeddingPart
    signature: Signature
    module: "torch.nn.Module"

    def predict(self, inputs: Arrays) -> dict[str, np.ndarray]:
        """Answer one batch.

        Raises:
            InputError: The embedding part refuses an id.
        """
        import torch

        values = self.embedding.run(inputs)
        given = [torch.tensor(values[tensor.name]) for tensor in self.signature.inputs]
        with torch.inference_mode():
            answers = torch.utils._pytree.tree_leaves(self.module(*given))
        names = [tensor.name for tensor in self.signature.outputs]
        return {name: value.numpy() for name, value in zip(names, answers, strict=True)}


def run(task: Task, out: Path, progress: Progress) -> None:
    """Write `exact.json`."""
    composed, found = _composed(task, out / "view"), _Found()
    for case in read_cases(task.inputs["reference"]):
        progress(found.cases, found.cases + 1, "cases")
        if case.outputs is not None and not case.outside:
            mine = answered(case, composed.predict, InputError)
            found.add(case, mine.outputs or {})
    (out / FILE).write_text(found.conclude().model_dump_json(indent=1))


@dataclass
class _Found:
    """What was found so far; `answers` are the original's, by output."""

    cases: int = 0
    worst: float = 0.0
    where: str = ""
    answers: dict[str, list[np.ndarray]] = field(default_factory=dict)

    def add(self, case: Case, mine: Arrays) -> None:
        self.cases += 1
        for name, right in (case.outputs or {}).items():
            self.answers.setdefault(name, []).append(right.astype(np.float64).ravel())
            off = _difference(right, mine[name]) if name in mine else float("inf")
            if off > self.worst:
                self.worst, self.where = off, f"{case.name}, output {name}"

    def conclude(self) -> Exact:
        spreads = [float(np.nanstd(np.concatenate(one))) for one in self.answers.values()]
        spread = max(spreads, default=0.0)
        return Exact(cases=self.cases, worst=self.worst, where=self.where, spread=spread)


def _composed(task: Task, view: Path) -> Composed:
    pieces = read_pieces(task.inputs)
    link_pieces(pieces, view)
    options = Options.model_validate(task.options)
    draft = draft_of(options, pieces, {options.build: {WHOLE: task.inputs["split"]}}, view)
    program, signature = load_program(task.inputs["split"] / pieces.split.dense.folder)
    return Composed(EmbeddingPart.open(view, draft), signature, program.module(check_guards=False))


def _difference(right: np.ndarray, answer: np.ndarray) -> float:
    """Return the largest difference; infinite where shapes differ or one alone is nan."""
    if right.shape != answer.shape or (np.isnan(right) != np.isnan(answer)).any():
        return float("inf")
    if right.dtype.kind == "b":
        return float((right != answer).any())
    same = (right == answer) | np.isnan(right)
    wide = np.abs(right.astype(np.float64) - answer.astype(np.float64))
    return float(np.where(same, 0, wide).max(initial=0))
