"""What comes before the model and after it."""

from collections.abc import Iterator
from pathlib import Path, PurePath

from pipeline.job.fault import Fault
from pipeline.job.nearest import did_you_mean
from pipeline.job.node import Node

_BLOCKS = ("preprocess", "postprocess")

#: Kinds of sources that are opened where scikit-learn is not.
_ELSEWHERE = ("tensorflow",)


def is_of_a_known_kind(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse files that run code when they are read, or that nothing reads."""
    for block in _BLOCKS:
        file = job[block]["file"]
        suffix = PurePath(file.text or "").suffix.lower()
        if file.text is None or suffix in (".onnx", ".skops"):
            continue
        message = (
            "an estimator is read from .skops, as skops.io.dump(estimator, path) writes it, or "
            "from .onnx; pickles, also joblib's, run code when they are read"
        )
        yield Fault(file.place, message)


def takes_what_there_is(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse inputs and outputs that there are not, where the job names them all."""
    inputs = [text for one in job["inputs"] if (text := one["name"].text)]
    outputs = [name for name, _ in job["outputs"].texts()]
    for block, known, what in (("preprocess", inputs, "input"), ("postprocess", outputs, "output")):
        for name, place in job[block]["takes"].texts():
            if known and name not in known:
                yield Fault(place, f"no {what} is called `{name}`{did_you_mean(name, known)}")


def goes_with_the_source(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse an estimator beside a model that is opened in an environment without scikit-learn."""
    kind = job["source"]["kind"].text
    for block in _BLOCKS:
        file = job[block]["file"]
        if kind in _ELSEWHERE and (file.text or "").endswith(".skops"):
            message = (
                f"a {kind} model is opened in a toolchain of its own, which has no scikit-learn: "
                "convert the estimator by skl2onnx.to_onnx and name the .onnx file"
            )
            yield Fault(file.place, message)
