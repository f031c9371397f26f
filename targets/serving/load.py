"""From a version's number to a version that is loaded, warmed up and ready to answer."""

import logging
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from registry.catalog import Catalog
from registry.errors import PlatformError, ServeError
from registry.manifest import Build, Draft, Version
from targets.predictor import Predictor, open_predictor
from targets.serving.build import choose_build
from targets.serving.compare import compare
from targets.serving.fetch import fetch, folder_of
from targets.serving.form import Form, read_form
from targets.serving.kept import Hold, tidy
from targets.serving.live import Loaded
from targets.serving.recorded import read_recorded
from targets.serving.warm_up import joins_well, some_inputs, warm_up

log = logging.getLogger(__name__)


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
    """Check the contract, pull and verify, load, warm up, compare with the recorded answers.

    Raises:
        ServeError: The version does not load here, or does not answer as the original did.
        PlatformError: What else went wrong, as its own kind; nothing stays loaded.
    """
    build = choose_build(version, options.target)
    folder = folder_of(version, options.cache)
    hold = Hold(folder)
    with ExitStack() as unproven:
        unproven.callback(hold.release)
        fetch(catalog, version, options.cache)
        loaded = load_folder(folder, version, build, options)
        unproven.callback(loaded.predictor.close)
        _prove(loaded, folder)
        unproven.pop_all()
    tidy(folder.parent)
    return replace(loaded, let_go=partial(_let_go, hold, folder.parent))


def _let_go(hold: Hold, versions: Path) -> None:
    """Leave a version's files to be removed: when it is the last but one that was used."""
    hold.release()
    tidy(versions)


def load_folder(folder: Path, version: Version, build: Build, options: LoadOptions) -> Loaded:
    """Load a version from its folder and warm it up."""
    form = read_form(version)
    try:
        predictor = open_predictor(folder, version, build.target, threads=options.threads)
        with ExitStack() as unready:
            unready.callback(predictor.close)
            rows = _warm_up(predictor, form, version, folder, options.batch)
            unready.pop_all()
    except PlatformError:
        raise
    except Exception as error:
        raise ServeError(
            f"{version.model} {version.number}: {build.target} does not load: {error}"
        ) from error
    ids = tuple(entry.name for entry in version.inputs if entry.ids)
    return Loaded(version, build, predictor, form, rows, ids)


def _prove(loaded: Loaded, folder: Path) -> None:
    """Compare the answers of this host with those that the version carries, if it does."""
    version = loaded.version
    who = f"{version.model} {version.number}"
    recorded = read_recorded(folder, version)
    if recorded is None:
        log.warning("%s carries no recorded answers: nothing was compared", who)
        return
    answers = loaded.predictor.predict(recorded.inputs)
    log.info("%s: %s", who, compare(answers, recorded, loaded.build, who))


def _warm_up(predictor: Predictor, form: Form, version: Version, folder: Path, batch: int) -> int:
    """Answer for the first time, and find out how many rows may be joined."""
    inputs = some_inputs(folder, version)
    rows = _rows(form, version, batch)
    if rows > 1 and not joins_well(predictor, inputs):
        rows = 1
    warm_up(predictor, inputs, rows)
    return rows


def _rows(form: Form, draft: Draft, batch: int) -> int:
    """Say how many rows may be joined: no more than the batch axis may have."""
    if form.batch is None:
        return 1
    axis = draft.axes.get(form.batch)
    return min(batch, axis.max) if axis else batch
