"""What networks and busy services do to requests loses nothing, and ends."""

import os
from datetime import timedelta
from uuid import uuid4

import pytest

from registry import Catalog
from registry.errors import StoreError
from registry.progress import silent
from registry.store import open_store
from tests.drafts import write_draft
from tests.rough_proxy import KINDS, Rough, rough_proxy
from tests.seaweed import BUCKET, Seaweed


def work(catalog: Catalog, folder) -> None:
    """Publish, point, pull, remove and sweep, and see that all came out as it was put in."""
    answers = [os.urandom(n) for n in (300_000, (8 << 20) + 5)]
    for number, answer in enumerate(answers, start=1):
        draft = write_draft(folder / "draft", answer=answer)
        assert catalog.publish(draft, folder / "draft").number == number
        catalog.move("ads", "production", number, who="ann", why="a test")
    moves = catalog.history("ads", "production")
    assert [(move.number, move.version) for move in moves] == [(1, 1), (2, 2)]
    pulled = catalog.pull(catalog.resolve("ads@production"), folder / "pulled")
    assert (pulled / "builds/cpu/model.bin").read_bytes() == answers[1]
    catalog.remove("ads", 1, who="ann", why="old")
    sweeper = catalog.sweeper(timedelta(0))
    assert sweeper.sweep(sweeper.find(), silent).blobs == 1
    catalog.verify(catalog.resolve("ads"))


@pytest.mark.parametrize(
    "kinds", [("reset", "lost"), ("500", "503"), ("cut", "slow"), KINDS], ids="+".join
)
def test_work_comes_through(s3_environment: Seaweed, tmp_path, kinds):
    rough = Rough(kinds)
    with rough_proxy(s3_environment.http, rough) as endpoint:
        url = f"s3://{BUCKET}/{uuid4().hex}?attempts=6&timeout=20"
        work(Catalog(open_store(url, endpoint=endpoint)), tmp_path)
    assert set(rough.done) <= set(kinds)
    assert sum(rough.done.values()) > 5, rough.done


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("reset", "it hung up|the connection failed"),
        ("500", r"status 500"),
        ("503", "it is overloaded|it is not available"),
        ("skewed", "this host's clock is wrong"),
        ("cut", "the connection failed"),
    ],
)
def test_what_does_not_pass_ends_and_is_told(s3_environment: Seaweed, kind, text):
    prefix = uuid4().hex
    open_store(f"s3://{BUCKET}/{prefix}", endpoint=s3_environment.http).create("a", b"x" * 100)
    rough = Rough((kind,), share=1)
    with rough_proxy(s3_environment.http, rough) as endpoint:
        store = open_store(f"s3://{BUCKET}/{prefix}?attempts=2", endpoint=endpoint)
        with pytest.raises(StoreError, match=text):
            store.get("a")
    assert rough.requests <= 4
