"""Files and folders that a job names; they are relative to the job file."""

from collections.abc import Iterator
from pathlib import Path, PurePath

from pipeline.job.fault import Fault
from pipeline.job.nearest import nearest
from pipeline.job.node import Node

#: Block, key, and whether a folder is meant.
_NAMED: tuple[tuple[str, str, bool], ...] = (
    ("source", "file", False),
    ("source", "weights", False),
    ("source", "path", True),
    ("source", "saved_model", True),
    ("source", "keras", False),
    ("preprocess", "file", False),
    ("postprocess", "file", False),
    ("samples", "file", False),
)


#: What files of a kind of source end in.
_SUFFIXES = {"onnx": ".onnx", "program": ".pt2", "torchscript": ".ts"}


def are_of_the_kind(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse a source file that by its name belongs to another kind of source."""
    kind, file = job["source"]["kind"], job["source"]["file"]
    suffix = PurePath(file.text or "").suffix.lower()
    for other, its in _SUFFIXES.items():
        if kind.text in _SUFFIXES and kind.text != other and suffix == its:
            yield Fault(kind.place, f"`{suffix}` is a file of the kind `{other}`; write that")


def exist(job: Node, folder: Path) -> Iterator[Fault]:
    """Refuse files that are not there."""
    for block, key, is_folder in _NAMED:
        node = job[block][key]
        if node.text and "${" not in node.text and not node.text.startswith("s3://"):
            path = folder / node.text
            if message := _missing(path, is_folder=is_folder):
                yield Fault(node.place, message)


def _missing(path: Path, *, is_folder: bool) -> str | None:
    try:
        if path.is_dir() if is_folder else path.is_file():
            return None
        if path.exists():
            return "this is a file, not a folder" if is_folder else "this is a folder, not a file"
        names = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    except OSError as error:
        return f"cannot be looked at: {error.strerror}"
    meant = nearest(path.name, names)
    guess = f"; did you mean `{meant}`?" if meant else "; paths are relative to the job file"
    return f"no such {'folder' if is_folder else 'file'}{guess}"
