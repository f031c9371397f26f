"""The tensors that a job describes."""

from collections.abc import Iterator

from pipeline.job.node import Node


def described(job: Node) -> Iterator[Node]:
    """Give what users send, and what is made of it for the model."""
    yield from job["inputs"]
    yield from job["preprocess"]["gives"]
