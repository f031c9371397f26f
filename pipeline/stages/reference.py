"""Ask the unsplit model: recorded samples first, generated inputs after them."""

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

import numpy as np
from pydantic import Field
from safetensors.numpy import save_file

from converters.brief import Arrays, RefusalError
from converters.composed import answers_of
from pipeline.job.job import Samples
from pipeline.job.samples import read_samples
from pipeline.processes.task import Task
from pipeline.stages.model import ModelOptions
from registry.composition import Remark
from registry.errors import PlatformError, SourceError
from registry.progress import Progress
from registry.remarks import tell
from targets.parity.cases import Case, write_cases
from targets.parity.compare import answered
from targets.parity.hostile import hostile
from targets.parity.left_out import LeftOut, is_left_out, told
from targets.parity.rows import batches_of

#: Recorded rows in a batch, unless the version is to carry more.
ROWS = 256

LABELS = "labels.safetensors"


class Options(ModelOptions):
    """The stage reads no folders of other tasks.

    Attributes:
        samples: Of the job, as it is.
        batches, seed, leave_out: Of the job's `parity`.
    """

    samples: Samples | None
    batches: tuple[int, ...] = Field(min_length=1)
    seed: int
    leave_out: tuple[LeftOut, ...] = ()


def run(task: Task, out: Path, progress: Progress) -> None:
    """Write the cases, and the labels of the recorded ones in their order."""
    options = Options.model_validate(task.options)
    recorded, labels = _recorded(options, task.folder)
    names = [case.name for case in _generated(options)]
    tell(Remark(by="parity", text=text) for text in told(names, options.leave_out))
    total = len(recorded) + sum(not is_left_out(name, options.leave_out) for name in names)
    answer = answers_of(options.brief(task.folder), options.processing)
    kept = (one for one in _generated(options) if not is_left_out(one.name, options.leave_out))
    cases = chain(recorded, kept)

    def ask() -> Iterator[Case]:
        for done, case in enumerate(cases):
            progress(done, total, "cases")
            asked = _asked(case, answer)
            if done == 0:
                _check_steady(asked, answer)
            yield asked

    write_cases(ask(), out)
    progress(total, total, "cases")
    if labels is not None:
        save_file({"labels": labels}, out / LABELS)


def _asked(case: Case, answer: Callable[[Arrays], Arrays]) -> Case:
    """Ask one case; the original has to answer what was recorded.

    Raises:
        SourceError: It refuses recorded inputs, or fails in a way that is no refusal.
    """
    try:
        reply = answered(case, answer, RefusalError)
    except PlatformError:
        raise
    except Exception as error:
        raise SourceError(
            f"the original model fails on '{case.name}' ({_shapes(case)}): {str(error).strip()}. "
            "Where such inputs do not come, say so in the job's `axes`, or in `ids` and `range` of "
            "its inputs"
        ) from error
    if case.kind == "recorded" and reply.refused is not None:
        raise SourceError(
            f"{case.name}: the original model refuses them: {reply.refused}. Take them out of the "
            "samples, or mend the job's `inputs`"
        )
    return reply


def _check_steady(case: Case, answer: Callable[[Arrays], Arrays]) -> None:
    """Ask a case again: of a model that draws its answers nothing can be compared.

    Raises:
        SourceError: It answers otherwise.
    """
    again = answer(case.inputs) if case.outputs is not None else {}
    for name, array in again.items():
        first = np.asarray((case.outputs or {})[name], np.float64)
        if not np.allclose(first, np.asarray(array, np.float64), 1e-3, 1e-5, equal_nan=True):
            raise SourceError(
                f"the original model answers '{case.name}' otherwise when it is asked again: output"
                f" '{name}' is drawn at random, or depends on what was asked before. Make what it "
                "draws an input of the model, or a constant in it"
            )


def _shapes(case: Case) -> str:
    return ", ".join(f"{name} {list(array.shape)}" for name, array in case.inputs.items())


def _generated(options: Options) -> Iterator[Case]:
    return hostile(options.inputs, options.axes, options.batches, options.seed)


def _recorded(options: Options, folder: Path) -> tuple[list[Case], np.ndarray | None]:
    """Return the samples in batches, and the labels of the rows that are in them."""
    if options.samples is None:
        return [], None
    samples = read_samples(options.samples, options.inputs, folder)
    tell(Remark(by="samples", text=text) for text in samples.odd)
    most = max(ROWS, options.samples.record)
    pieces = list(batches_of(options.inputs, options.axes, samples.inputs, most))
    cases = [
        Case(f"samples {start} to {stop - 1}", "recorded", arrays) for start, stop, arrays in pieces
    ]
    if samples.labels is None or not pieces:
        return cases, None
    kept = [samples.labels[start:stop] for start, stop, _ in pieces]
    return cases, np.concatenate(kept)
