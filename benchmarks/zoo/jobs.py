"""A model's job: the file that `pipeline run` would take."""

import re
from pathlib import Path

import yaml
from pydantic import JsonValue

from benchmarks.zoo.package import Model, Package
from pipeline.job.job import Job
from pipeline.job.load import load_job
from pipeline.processes.setting import ROOT
from registry.signature import Axis

FACTORY = "benchmarks.zoo.factory:build"

BECAUSE = "answers of order 1, computed in f32 in another order"


def write_job(package: Package, model: Model, folder: Path) -> Job:
    """Write `job.yaml`, and read it back as anyone's.

    Raises:
        JobError: The model's row makes no job.
    """
    file = folder / "job.yaml"
    file.write_text(yaml.safe_dump(_keys(package, model), sort_keys=False))
    return load_job(file)


def slug(name: str) -> str:
    """Return a name as jobs and folders may have it."""
    return re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-.")


def _keys(package: Package, model: Model) -> dict[str, JsonValue]:
    return {
        "schema": 1,
        "model": slug(f"{package.name}-{model.name}"),
        "source": {
            "kind": "torch",
            "factory": FACTORY,
            "args": {"package": package.name, "model": model.name},
            "path": str(ROOT),
            "jagged": {name: list(features) for name, features in model.jagged.items()},
        },
        "axes": {name: axis.model_dump() for name, axis in model.axes.items()},
        "inputs": [one.model_dump(mode="json", exclude_defaults=True) for one in model.inputs],
        "split": dict(model.split),
        "targets": [{"name": name, "runtime": name, "threads": 1} for name in model.runtimes],
        "parity": {
            "conversion": {"atol": model.atol, "rtol": model.rtol, "because": BECAUSE},
            "batches": _batches(model),
        },
    }


def _batches(model: Model) -> list[int]:
    """Return batch sizes within the range of the axis."""
    first = model.inputs[0].shape[0] if model.inputs[0].shape else 1
    if isinstance(first, int):
        return [first]
    axis = model.axes.get(first, Axis())
    return sorted({min(max(axis.min, size), axis.max) for size in (1, 3, 17)})
