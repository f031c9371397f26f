"""Publish the version and move its channel."""

import shutil
from pathlib import Path

from pipeline.caching.beside import files_beside
from pipeline.caching.kept_files import KeptFile, files_of_record
from pipeline.processes.task import Task
from pipeline.signer import signer
from pipeline.stages.layout import link
from registry.catalog import Catalog
from registry.errors import IntegrityError
from registry.manifest import Draft, Version
from registry.progress import Progress
from registry.signature import Frozen
from registry.signing.kept import signatures_of
from registry.store import Store, open_store

REPORT, PUSHED = "report", "pushed.json"


class Options(Frozen):
    """The job's `push`, as it is, and who pushes.

    Reads the folders `assemble` and, if there is one, `report` (index.html, report.json).
    """

    store: str
    endpoint: str | None
    channel: str | None
    who: str


class Pushed(Frozen):
    """What `pushed.json` holds: `already` says that an equal version was there before."""

    number: int
    already: bool


def run(task: Task, out: Path, progress: Progress) -> None:
    """Publish, move the channel unless it is there already, and write down what came of it."""
    options = Options.model_validate(task.options)
    folder = task.inputs["assemble"]
    draft = Draft.model_validate_json((folder / "draft.json").read_bytes())
    version_folder = out / "version"
    link(folder / "version", version_folder)
    if report := task.inputs.get(REPORT):
        link(report, version_folder / REPORT)
        draft = draft.model_copy(update={"report": REPORT})
    by = signer()
    catalog = Catalog(store_of(options, task.folder), signer=by)
    before = catalog.versions(draft.model)
    version = catalog.publish(
        draft,
        version_folder,
        progress,
        expected=_as_assembled(folder),
        near=files_beside(folder),
    )
    if by is not None and not signatures_of(catalog.store, version.model, version.number):
        catalog.sign(version.model, version.number, by)
    if options.channel is not None:
        _move(catalog, version, options.channel, options.who)
    shutil.rmtree(version_folder)
    (out / "version.json").write_text(version.model_dump_json(indent=1, by_alias=True))
    pushed = Pushed(number=version.number, already=version.number in before)
    (out / PUSHED).write_text(pushed.model_dump_json())


def store_of(options: Options, folder: Path) -> Store:
    """Open the store; a path is relative to the job's folder."""
    url = options.store if "://" in options.store else str(folder / options.store)
    return open_store(url, endpoint=options.endpoint)


def _as_assembled(folder: Path) -> dict[str, KeptFile]:
    """Return the version's files as they were when `assemble` had laid them out.

    Raises:
        IntegrityError: Nobody knows any more.
    """
    files = {
        name.removeprefix("version/"): file
        for name, file in files_of_record(folder).items()
        if name.startswith("version/")
    }
    if not files:
        raise IntegrityError(
            f"{folder}: there is no record of how its files were made. Run the job again"
        )
    return files


def _move(catalog: Catalog, version: Version, channel: str, who: str) -> None:
    now = catalog.channel(version.model, channel)
    if now is None or now.version != version.number:
        why = f"version {version.number} was published, and its job says so"
        catalog.move(version.model, channel, version.number, who=who, why=why)
