"""Weights that lie in S3-compatible storage, fetched once: `<home>/weights/<place>/<stamp>/`."""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from converters.brief import SourceOptions
from converters.checkpoints.checkpoint import read_index
from converters.sources.torch_factory import TorchOptions
from pipeline.job.job import Job
from registry.disk import disk_faults
from registry.errors import SourceError
from registry.lock_file import take_lock
from registry.progress import Progress

if TYPE_CHECKING:
    from registry.store.s3_bucket import S3Bucket

SCHEME = "s3://"

#: Ending of a file that is being fetched; a run that is killed leaves it for the next one.
_PART = ".part"


def fetch_weights(job: Job, home: Path, progress: Progress) -> Job:
    """Return the job with weights that are files here; those of a sharded index lie beside it.

    What was fetched before is taken as long as the service says that it is the same object.

    Raises:
        SourceError: They are not there, or changed while they were fetched.
        StoreError: The service cannot be reached, or refuses.
    """
    here = fetch_of_source(job.source, home, progress)
    return job if here is job.source else job.model_copy(update={"source": here})


def fetch_of_source(source: SourceOptions, home: Path, progress: Progress) -> SourceOptions:
    """Return the source with weights that are files here; raises as `fetch_weights`."""
    if not isinstance(source, TorchOptions) or not (source.weights or "").startswith(SCHEME):
        return source
    file = _fetched(str(source.weights), source.endpoint, home / "weights", progress)
    return source.model_copy(update={"weights": str(file), "endpoint": None})


def _fetched(url: str, endpoint: str | None, root: Path, progress: Progress) -> Path:
    above, _, name = url.partition("?")[0].rpartition("/")
    if not name or above + "/" == SCHEME:
        raise SourceError("source.weights: the URL names no object. Write s3://bucket/key")
    bucket = _bucket(above + url[len(above) + 1 + len(name) :], endpoint)
    place = root / hashlib.sha256(f"{bucket.url} {name}".encode()).hexdigest()[:16]
    place.mkdir(parents=True, exist_ok=True)
    with disk_faults(place), take_lock(place / "lock", fcntl.LOCK_EX) as held:  # type: ignore[union-attr] # it waits
        held.flush()
        folder = place / _stamp(bucket, name)
        folder.mkdir(exist_ok=True)
        for one in _names(name, folder):
            _fetch(bucket, one, folder, progress)
        os.utime(folder)  # when it was last taken, which is what `cache prune` goes by
    return folder / name


def _bucket(url: str, endpoint: str | None) -> "S3Bucket":
    from registry.store.s3_bucket import S3Bucket  # noqa: PLC0415  boto3 is slow to import
    from registry.store.s3_place import read_url  # noqa: PLC0415

    return S3Bucket(read_url(url, endpoint))


def _names(name: str, folder: Path) -> Iterator[str]:
    """Name the file and, once that is here, those that it is the index of."""
    yield name
    if name.endswith(".json"):
        yield from sorted(set(read_index(folder / name).values()))


def _fetch(bucket: "S3Bucket", name: str, folder: Path, progress: Progress) -> None:
    """Fetch one object, from where an earlier run stopped; it appears once it is whole."""
    stamp = _stamp(bucket, name)
    mark, file = folder / f"{name}.stamp", folder / name
    if file.is_file() and mark.is_file() and mark.read_text() == stamp:
        return
    part = folder / f"{name}.{stamp}{_PART}"
    with part.open("ab") as stream:
        total, done = bucket.size(name) or 0, stream.tell()
        for piece in bucket.read(name, done) if done < total else ():
            stream.write(piece)
            done += len(piece)
            progress(done, total, "bytes")
    if _stamp(bucket, name) != stamp or part.stat().st_size != total:
        part.unlink()
        raise SourceError(
            f"weights {bucket.url}/{name}: changed while they were fetched. Run again"
        )
    part.replace(file)
    mark.write_text(stamp)


def _stamp(bucket: "S3Bucket", name: str) -> str:
    """Give a short word for what the service says of an object."""
    said = bucket.stamp(name)
    if said is None:
        raise SourceError(f"weights {bucket.url}, {name}: there is no such object. Correct the URL")
    return hashlib.sha256(said.encode()).hexdigest()[:16]
