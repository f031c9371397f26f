"""Nurseries of a package, and the way of one model through them."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.zoo.environment import python_of
from benchmarks.zoo.jobs import slug, write_job
from benchmarks.zoo.order import Ended, Event, Order, Step, read_events
from benchmarks.zoo.outcome import Fault, Outcome, outcome_of
from benchmarks.zoo.package import Model, Package
from benchmarks.zoo.plan import steps_of
from pipeline.processes.deaths import SIGNALS
from pipeline.processes.setting import Setting, environment
from pipeline.toolchains import CURRENT
from pipeline.toolchains.inside import inside
from registry.errors import PlatformError

#: Seconds that the steps of one model may take in one environment, on a busy host too.
TIMEOUT = 1500.0

#: What is imported once: of the package's environment, and of other toolchains.
_FRAMEWORKS = (
    "torch",
    "torch.export",
    "torch.onnx",
    "onnx",
    "onnxruntime",
    "openvino",
    "onnxscript",
)
_OURS = tuple(
    f"pipeline.stages.{stage}" for stage in ("split", "reference", "tables", "convert", "validate")
)
_ELSEWHERE: Mapping[str, tuple[str, ...]] = {"ipex": ("torch", "intel_extension_for_pytorch")}


@dataclass
class Ward:
    """One nursery for each environment, started when it is needed first; one caller at a time."""

    package: Package
    home: Path
    nurseries: dict[str, "subprocess.Popen[str]"] = field(default_factory=dict)

    def outcome(self, model: Model, key: str) -> Outcome:
        """Take a model through its job, and write what became of it."""
        folder = self.home / self.package.name / slug(model.name)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        names = (self.package.name, model.name, key)
        try:
            plan = steps_of(write_job(self.package, model, folder), folder)
        except PlatformError as error:
            outcome = _without_job(names, error)
        else:
            events = self.events(plan, folder)
            outcome = outcome_of(names, model, folder, events)
        (folder / "outcome.json").write_text(outcome.model_dump_json(indent=1))
        if outcome.holds:
            shutil.rmtree(folder / "work")
        return outcome

    def close(self) -> None:
        for nursery in self.nurseries.values():
            for stream in (nursery.stdin, nursery.stdout):
                if stream:
                    stream.close()
            nursery.wait()

    def events(self, plan: Mapping[str, list[Step]], folder: Path) -> dict[str, Event]:
        """Have all steps done: where a child dies the next one goes on after what it died of."""
        log, file = folder / "log.txt", folder / "events.jsonl"
        for toolchain, steps in plan.items():
            left = tuple(steps)
            while left:
                order = Order(steps=left, log=log, events=file, timeout=TIMEOUT)
                ended = self._ask(toolchain, order)
                for step in _unfinished(left, file):
                    _note(file, _death(step, ended))
                known = read_events(file)
                left = tuple(step for step in left if step.task.name not in known)
        return read_events(file)

    def _ask(self, toolchain: str, order: Order) -> Ended:
        nursery = self.nurseries.get(toolchain) or self._start(toolchain)
        self.nurseries[toolchain] = nursery
        nursery.stdin.write(order.model_dump_json() + "\n")  # type: ignore[union-attr]
        nursery.stdin.flush()  # type: ignore[union-attr]
        line = nursery.stdout.readline()  # type: ignore[union-attr]
        if not line:
            raise RuntimeError(f"the nursery of {toolchain} ended: {self._log(toolchain)}")
        return Ended.model_validate_json(line)

    def _start(self, toolchain: str) -> "subprocess.Popen[str]":
        own = Setting(environment=environment(1) | {"OMP_NUM_THREADS": "1"})
        setting, modules = inside(own, toolchain), _ELSEWHERE.get(toolchain, ())
        python = setting.python
        if toolchain == CURRENT:
            python = python_of(self.package)
            modules = (*_FRAMEWORKS, *_OURS, *self.package.imports, "benchmarks.zoo.warm")
        log = self._log(toolchain)
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a") as stream:
            nursery = subprocess.Popen(
                [str(python), "-P", "-m", "benchmarks.zoo.nursery", str(os.getpid()), *modules],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stream,
                env={**os.environ, **setting.environment},
                text=True,
            )
        if nursery.stdout is None or not nursery.stdout.readline():
            sys.stderr.write(log.read_text()[-2000:])
            raise RuntimeError(f"the nursery of {toolchain} does not start: {log}")
        return nursery

    def _log(self, toolchain: str) -> Path:
        return self.home / self.package.name / f"{toolchain}.log"


def _unfinished(steps: tuple[Step, ...], file: Path) -> list[Step]:
    """Return the step that a child died of: the one under way, or the first where none was."""
    known = read_events(file)
    begun = [step for step in steps if step.task.name in known]
    under_way = [step for step in begun if known[step.task.name].state == "started"]
    return under_way or ([] if begun else [steps[0]])


def _note(file: Path, event: Event) -> None:
    with file.open("a") as stream:
        stream.write(event.model_dump_json() + "\n")


def _death(step: Step, ended: Ended) -> Event:
    if ended.code is None:
        said = f"took more than {TIMEOUT:.0f} s and was ended"
    elif ended.code < 0:
        said = f"ended by signal {-ended.code}: {SIGNALS.get(-ended.code, 'no cause is known')}"
    else:
        said = f"left with code {ended.code}"
    return Event(task=step.task.name, state="failed", kind="WorkerError", message=said)


def _without_job(names: tuple[str, str, str], error: PlatformError) -> Outcome:
    return Outcome(
        package=names[0],
        model=names[1],
        key=names[2],
        axes=(),
        fixed=(),
        tables=0,
        lookups=0,
        kept=(),
        exact=None,
        builds=(),
        faults=(Fault(task="job", kind=type(error).__name__, message=str(error)),),
        seconds=0,
    )
