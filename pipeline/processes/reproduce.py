"""A script beside a stage's log that does the stage again, by itself."""

import shlex
from pathlib import Path

from pipeline.processes.setting import Setting, command
from pipeline.processes.task import Task

SCRIPT = "reproduce.sh"


def write_script(task: Task, folder: Path, setting: Setting) -> None:
    """Write `task.json` and `reproduce.sh`."""
    exports = "".join(
        f"export {name}={shlex.quote(value)}\n"
        for name, value in sorted(setting.environment.items())
    )
    call = f'{shlex.join(command(setting.python, "")[:-1])} "$out" < "$here/task.json"'
    text = (
        "#!/bin/sh\n"
        f"# Do '{task.name}' again, by itself: sh {SCRIPT} [FOLDER]\n"
        "set -eu\n"
        'here=$(cd "$(dirname "$0")" && pwd)\n'
        'out=${1:-"$PWD/reproduced"}\n'
        f"{exports}"
        f"{call}\n"
        'echo "written to $out"\n'
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "task.json").write_text(task.model_dump_json(indent=1))
    (folder / SCRIPT).write_text(text)
