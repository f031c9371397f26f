"""From a version's number to a version that is loaded, warmed up and ready to answer."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from registry.catalog import Catalog
from registry.manifest import Build, Draft, Version
from targets.predictor import open_predictor
from targets.serving.build import choose_build
from targets.serving.fetch import fetch
from targets.serving.form import Form, read_form
from targets.serving.live import Loaded
from targets.serving.warm_up import joins_well, some_inputs, warm_up


@dataclass(frozen=True)
class LoadOptions:
    """How versions are loaded.

    Attributes:
        cache: Where versions are kept on this host.
        target: The build to take; None takes the first that the host can run.
        threads: Intra-op threads; 0 follows the build's contract.
        batch: Rows that are joined into one inference at most.
    """

    cache: Path
    target: str | None = None
    threads: int = 0
    batch: int = 32


Load = Callable[[Version], Loaded]


def load_version(catalog: Catalog, version: Version, options: LoadOptions) -> Loaded:
    """Check the contract, pull and verify, load, warm up.

    Raises:
        PlatformError: What went wrong, as its own kind; nothing stays loaded.
    """
    build = choose_build(version, options.target)
    folder = fetch(catalog, version, options.cache)
    return load_folder(folder, version, build, options)


def load_folder(folder: Path, version: Version, build: Build, options: LoadOptions) -> Loaded:
    """Load a version from its folder and warm it up."""
    form = read_form(version)
    predictor = open_predictor(
        folder, version, build.target, threads=options.threads or build.contract.threads
    )
    try:
        inputs = some_inputs(folder, version)
        rows = _rows(form, version, options.batch)
        if rows > 1 and not joins_well(predictor, inputs):
            rows = 1
        warm_up(predictor, inputs, rows)
    except BaseException:
        predictor.close()
        raise
    ids = tuple(entry.name for entry in version.inputs if entry.ids)
    return Loaded(version, build, predictor, form, rows, ids)


def _rows(form: Form, draft: Draft, batch: int) -> int:
    """Say how many rows may be joined: no more than the batch axis may have."""
    if form.batch is None:
        return 1
    axis = draft.axes.get(form.batch)
    return min(batch, axis.max) if axis else batch
