"""The job's `preprocess` and `postprocess` blocks."""

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from registry.signature import Frozen, Input

#: What is asked of an estimator.
Method = Literal["transform", "predict", "predict_proba"]


class Preprocess(Frozen):
    """What makes the model's inputs of users' inputs.

    Attributes:
        file: A fitted estimator of scikit-learn (`.skops`), or an ONNX file; relative to the job
            file.
        takes: The inputs whose columns, side by side, are the estimator's. Without it, those that
            are called as the columns that it was fitted on. An ONNX file takes its own.
        gives: The model's inputs that it makes, as `inputs` has them. Of an estimator, each has as
            many of its columns as the shape says, in order; of an ONNX file, the output so called.
    """

    file: str
    takes: tuple[str, ...] = ()
    gives: tuple[Input, ...] = Field(min_length=1)


class Answer(Frozen):
    """An output of the whole model.

    Attributes:
        method: What is asked of the estimator; an ONNX file has an output of this name.
        column: Of the method's answer, counted from 0; all of it if not given.
    """

    name: str = Field(min_length=1)
    method: Method | None = None
    column: int | None = Field(default=None, ge=0)


class Postprocess(Frozen):
    """What makes answers of the model's outputs; those that it does not take stay answers.

    Attributes:
        file: As of `preprocess`.
        takes: The outputs whose columns, side by side, are the estimator's. An ONNX file takes
            its own.
    """

    file: str
    takes: tuple[str, ...] = ()
    gives: tuple[Answer, ...] = Field(min_length=1)


@dataclass(frozen=True)
class Processing:
    """What a job has around its model."""

    preprocess: Preprocess | None = None
    postprocess: Postprocess | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """Return the files that are named, as the job names them."""
        return tuple(one.file for one in (self.preprocess, self.postprocess) if one)
