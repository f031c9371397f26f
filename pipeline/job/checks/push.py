"""Where a version goes."""

from collections.abc import Iterator
from pathlib import Path

from pipeline.job.fault import Fault
from pipeline.job.nearest import did_you_mean
from pipeline.job.node import Node

_SCHEMES = ("file", "s3")


def goes_to_a_store(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse stores of another kind, a bucket without a name, an endpoint without a scheme."""
    store, endpoint = job["push"]["store"], job["push"]["endpoint"]
    scheme, mark, rest = (store.text or "").partition("://")
    if store.text == "":
        yield Fault(store.place, "the store is empty; name a folder or s3://bucket/prefix")
    elif mark and scheme not in _SCHEMES:
        yield Fault(store.place, f"no store is called `{scheme}`{did_you_mean(scheme, _SCHEMES)}")
    elif scheme == "s3" and mark and not rest.partition("/")[0]:
        yield Fault(store.place, "no bucket; write s3://bucket/prefix")
    if endpoint.text and not endpoint.text.startswith(("http://", "https://")):
        message = f"an endpoint is a URL; write https://{endpoint.text.rpartition('://')[2]}"
        yield Fault(endpoint.place, message)
    elif endpoint.text and store.text and scheme != "s3":
        yield Fault(job["push"].keys()["endpoint"], "an endpoint belongs to an s3:// store")


def names_a_channel(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse a channel that nobody could ask for: MODEL@7 is a version."""
    channel = job["push"]["channel"]
    if channel.text is not None and channel.text.isdecimal():
        message = f"`{channel.text}` is a version's number; take a name with a letter"
        yield Fault(channel.place, message)
