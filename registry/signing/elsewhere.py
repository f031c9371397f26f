"""Check signatures with another environment's Python: `-m registry.signing.elsewhere`.

It reads one JSON object on stdin, the question, and writes the faults on stdout. A toolchain has
no use for what checking takes, and the environment that started a command in there has it.
"""

import base64
import json
import subprocess
import sys
from pathlib import Path

from registry.errors import MissingExtraError
from registry.signing.faults import Question, faults_of

#: Seconds after which a check that does not answer is taken for hung.
_PATIENCE = 120.0


def faults_elsewhere(python: Path, question: Question) -> tuple[str | None, ...]:
    """Do as `faults_of`, in a process of another environment that finds this code.

    Raises:
        MissingExtraError: It cannot be asked, or cannot check signatures.
    """
    try:
        done = subprocess.run(  # noqa: S603  the Python that started us
            [str(python), "-P", "-m", "registry.signing.elsewhere"],
            input=_written(question),
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=True,
        )
        found = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        said = str(getattr(error, "stderr", None) or error).strip().splitlines()[-1]
        raise MissingExtraError(
            f"{python} cannot check signatures: {said}. Run: {python} -m pip install "
            "'model-pipeline[sign]'"
        ) from error
    return tuple(None if fault is None else str(fault) for fault in found)


def _written(question: Question) -> str:
    texts = [base64.b64encode(each).decode() for each in (question.data, *question.signatures)]
    anchors = [str(path) for path in question.anchors]
    return json.dumps({"bytes": texts, "anchors": anchors, "file": question.file})


def _read(text: str) -> Question:
    told = json.loads(text)
    data, *signatures = (base64.b64decode(each) for each in told["bytes"])
    return Question(data, tuple(signatures), tuple(map(Path, told["anchors"])), told["file"])


if __name__ == "__main__":
    json.dump(faults_of(_read(sys.stdin.read())), sys.stdout)
