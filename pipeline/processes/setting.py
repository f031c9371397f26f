"""How stages' processes are started: the interpreter, its call, its environment."""

import os
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Setting:
    """How stages' processes run.

    Attributes:
        python: The interpreter of the toolchain.
        silence: Seconds without an event, a line in the log or CPU time after which a process
            is taken for hung.
        environment: Added to this process's own; see `environment`.
    """

    python: Path = Path(sys.executable)
    silence: float = 900.0
    environment: Mapping[str, str] = field(default_factory=dict)


def command(python: Path, out: str) -> list[str]:
    """Return the call of a worker; `-P` keeps the current folder's files out of its imports."""
    return [str(python), "-P", "-m", "pipeline.processes.worker", out]


def environment(threads: int) -> dict[str, str]:
    """Return what a stage's process finds in its environment where the user set nothing else.

    Args:
        threads: Effective CPUs: frameworks count the host's, also in a container with a limit.
    """
    wanted = {
        "OMP_NUM_THREADS": str(threads),
        "PYTHONUNBUFFERED": "1",
        "PYTHONHASHSEED": "0",
        "DO_NOT_TRACK": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "RAY_USAGE_STATS_ENABLED": "0",
        "TOKENIZERS_PARALLELISM": "false",
        "TF_CPP_MIN_LOG_LEVEL": "2",
        "TORCH_CPP_LOG_LEVEL": "ERROR",
    }
    chosen = {name: os.environ.get(name, value) for name, value in wanted.items()}
    if str(ROOT) not in (sysconfig.get_path("purelib"), sysconfig.get_path("platlib")):
        paths = (str(ROOT), os.environ.get("PYTHONPATH"))
        chosen["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    return chosen
