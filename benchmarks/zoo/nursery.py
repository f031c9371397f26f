"""Fork one child a model from a process that has imported the frameworks: python -m ... MODULE...

Reads an Order a line, does it in a child, and writes how the child ended. Frameworks are imported
once, and a model that crashes, hangs or leaves threads behind takes only its child with it.
"""

import faulthandler
import os
import select
import signal
import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from benchmarks.zoo.order import Ended, Event, Order, Step, read_events
from pipeline.processes import events
from pipeline.processes.worker import die_with, perform


def main(parent: int, modules: list[str]) -> None:
    die_with(parent=parent)
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what frameworks print is no answer
    for module in modules:
        import_module(module)
    answers.write("ready\n")
    for line in sys.stdin:
        answers.write(_in_child(Order.model_validate_json(line)).model_dump_json() + "\n")


def _in_child(order: Order) -> Ended:
    pid = os.fork()
    if pid == 0:
        _be_child(order)
    handle = os.pidfd_open(pid)
    ready, _, _ = select.select([handle], [], [], order.timeout)
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    os.close(handle)
    return Ended(code=os.waitstatus_to_exitcode(status) if ready else None)


def _be_child(order: Order) -> None:
    """Do the steps, and never return."""
    code = 1
    try:
        os.setpgid(0, 0)
        log = os.open(order.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        for stream in (1, 2):
            os.dup2(log, stream)
        faulthandler.enable()
        for step in order.steps:
            _do(step, order.events)
        code = 0
    finally:
        os._exit(code)


def _do(step: Step, file: Path) -> None:
    """Do a step, unless what it needs is not there."""
    known = read_events(file)
    if any(known[need].state != "done" for need in step.needs if need in known):
        _tell(file, Event(task=step.task.name, state="skipped"))
        return
    _tell(file, Event(task=step.task.name, state="started"))
    said: list[events.Event] = []
    start = time.process_time()
    perform(step.task, step.out, said.append)
    last, seconds = said[-1], time.process_time() - start
    event = Event(task=step.task.name, state="done", seconds=seconds)
    if isinstance(last, events.Failed):
        event = Event(
            task=step.task.name,
            state="failed",
            kind=last.kind or "fault",
            message=last.message,
            seconds=seconds,
        )
    _tell(file, event)


def _tell(file: Path, event: Event) -> None:
    with file.open("a") as stream:
        stream.write(event.model_dump_json() + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
