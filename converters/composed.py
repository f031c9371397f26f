"""A model with what comes before and after it: split, and asked, as one."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from converters.brief import Arrays, Brief, RefusalError
from converters.onnx_models.files import signature_of
from converters.processing.opening import check_outputs, open_after, open_before
from converters.processing.options import Preprocess, Processing
from converters.processing.processor import Processor
from converters.sources import find_source
from converters.split.policy import SplitOptions
from registry.composition import POSTPROCESS, PREPROCESS, Artifact, Split, Vocabulary
from registry.errors import SourceError
from registry.format import ENTRY, Format
from registry.progress import Progress
from registry.signature import Input, Signature, Tensor

_SPLIT = "split.json"


def split_model(
    brief: Brief, around: Processing, options: SplitOptions, out: Path, progress: Progress
) -> None:
    """Write `split.json` and the parts that it names, those around the model too.

    Args:
        brief: Of the whole: what users send.
    """
    before = _before(brief, around)
    own = own_brief(brief, around.preprocess, before)
    split = find_source(brief.options).split(own, options, out, progress)
    if around.preprocess and before:
        split = _with_before(split, before, around.preprocess, brief.inputs, out)
    if around.postprocess:
        after = open_after(around.postprocess, brief.folder)
        split = _with_after(split, after, out)
    if around.files:
        (out / _SPLIT).write_text(split.model_dump_json(indent=2))


def answers_of(brief: Brief, around: Processing) -> Callable[[Arrays], dict[str, np.ndarray]]:
    """Return a function that answers as the originals do, one after the other.

    It raises `RefusalError` where one of them refuses what it is given.
    """
    before = _before(brief, around)
    own = find_source(brief.options).answers(own_brief(brief, around.preprocess, before))
    after = open_after(around.postprocess, brief.folder) if around.postprocess else None

    def answer(arrays: Arrays) -> dict[str, np.ndarray]:
        given = {**arrays, **before.answer(arrays)} if before else arrays
        answers = own(given)
        if after is None:
            return answers
        check_outputs(after, tuple(answers))
        _check_numbers(answers[name] for name in after.takes)
        return {
            **{name: value for name, value in answers.items() if name not in after.takes},
            **after.answer(answers),
        }

    return answer


def own_brief(brief: Brief, options: Preprocess | None, before: Processor | None) -> Brief:
    """Return what the model itself is told: its inputs are those that are made for it."""
    if options is None or before is None:
        return brief
    left = tuple(one for one in brief.inputs if one.name not in before.takes)
    return replace(brief, inputs=(*options.gives, *left))


def _before(brief: Brief, around: Processing) -> Processor | None:
    if around.preprocess is None:
        return None
    return open_before(around.preprocess, brief.folder, brief.inputs)


def _check_numbers(arrays: Iterable[np.ndarray]) -> None:
    """Refuse what scikit-learn would, and runtimes would not."""
    if not all(np.isfinite(array).all() for array in arrays):
        raise RefusalError("the model answers nan or infinity, which no estimator takes")


def _with_before(
    split: Split, before: Processor, options: Preprocess, inputs: tuple[Input, ...], out: Path
) -> Split:
    known = {one.name: one for one in inputs}
    taken = [_plain(known[name]) for name in before.takes]
    signature = Signature(
        inputs=tuple(map(_plain, inputs)),
        outputs=split.signature.outputs,
    )
    words = tuple(_write_words(name, before.words[name], out) for name in before.words)
    return split.model_copy(
        update={
            "signature": signature,
            "preprocess": _write(before, taken, PREPROCESS, out),
            "handed": options.gives,
            "vocabularies": (*split.vocabularies, *words),
        }
    )


def _with_after(split: Split, after: Processor, out: Path) -> Split:
    outputs = {one.name: one for one in split.signature.outputs}
    check_outputs(after, tuple(outputs))
    if twice := outputs.keys() & set(after.gives):
        raise SourceError(
            f"postprocess.gives: '{min(twice)}' is an output of the model itself: call it "
            "otherwise, or name the model's outputs otherwise in `outputs`"
        )
    part = _write(after, [outputs[name] for name in after.takes], POSTPROCESS, out)
    left = tuple(one for name, one in outputs.items() if name not in after.takes)
    signature = Signature(inputs=split.signature.inputs, outputs=(*left, *part.signature.outputs))
    return split.model_copy(update={"signature": signature, "postprocess": part})


def _write(processor: Processor, taken: list[Tensor], part: str, out: Path) -> Artifact:
    """Write it as ONNX, into a folder of the part's name."""
    model, maker = processor.as_onnx(taken, part)
    (out / part).mkdir()
    (out / part / ENTRY[Format.ONNX]).write_bytes(model.SerializeToString(deterministic=True))
    return Artifact(
        part=part,
        format=Format.ONNX,
        folder=part,
        signature=signature_of(model),
        maker=maker,
    )


def _write_words(name: str, words: tuple[str, ...], out: Path) -> Vocabulary:
    """Write the number of each word as `words/<input>.json`."""
    file = Path("words") / f"{name}.json"
    (out / file).parent.mkdir(exist_ok=True)
    numbers = {word: number for number, word in enumerate(words)}
    (out / file).write_text(json.dumps(numbers, ensure_ascii=False, indent=0))
    return Vocabulary(input=name, file=file.as_posix(), words=len(words), unknown=len(words))


def _plain(one: Input) -> Tensor:
    return Tensor(name=one.name, dtype=one.dtype, shape=one.shape)
