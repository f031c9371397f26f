import asyncio
from contextlib import asynccontextmanager

import pytest

from registry.catalog import Catalog
from registry.errors import ServeError, StoreError
from registry.store import open_store
from targets.serving.follow import Follower
from targets.serving.limits import Limits
from targets.serving.live import Live
from targets.serving.load import LoadOptions, load_version
from targets.serving.metrics import new_metrics
from tests.versions import publish


@pytest.fixture
def catalog(tmp_path):
    catalog = Catalog(open_store(str(tmp_path / "store")))
    for seed in (1, 2):
        publish(catalog, tmp_path, seed, runtimes=("onnxruntime",))
    catalog.move("ranker", "production", 1, who="me", why="the first one")
    return catalog


class Scene:
    """A follower whose version 2 fails to load so many times."""

    def __init__(self, catalog, folder, fault, times, retry):
        self.catalog, self.options = catalog, LoadOptions(folder)
        self.fault, self.times, self.tried = fault, times, 0
        self.live = Live("ranker", Limits(), new_metrics())
        self.follower = Follower(self.live, catalog, "ranker@production", self.load, retry=retry)

    def load(self, version):
        if version.number == 2:
            self.tried += 1
            if self.tried <= self.times:
                raise self.fault
        return load_version(self.catalog, version, self.options)

    async def comes_to(self, number, seconds=10):
        async with asyncio.timeout(seconds):
            while self.live.served.number != number:
                await asyncio.sleep(0.01)


@asynccontextmanager
async def following(catalog, folder, fault=None, times=0, retry=60.0):
    scene = Scene(catalog, folder, fault, times, retry)
    await scene.follower.refresh()
    task = asyncio.create_task(scene.follower.watch(0.02))
    catalog.move("ranker", "production", 2, who="me", why="the second one")
    yield scene
    task.cancel()
    await asyncio.wait([task])
    await scene.live.served.retire()


def test_goes_where_the_channel_goes(catalog, tmp_path):
    async def main():
        async with following(catalog, tmp_path) as scene:
            await scene.comes_to(2)
            catalog.move("ranker", "production", 1, who="me", why="back again")
            await scene.comes_to(1)

    asyncio.run(main())


def test_versions_that_are_not_live_any_more_leave_the_host_but_for_one(catalog, tmp_path):
    publish(catalog, tmp_path, 3, runtimes=("onnxruntime",))

    def pulled():
        folders = (tmp_path / "versions" / "ranker").iterdir()
        return sorted(path.name.partition("-")[0] for path in folders if path.is_dir())

    async def main():
        async with following(catalog, tmp_path) as scene:
            await scene.comes_to(2)
            assert pulled() == ["1", "2"]
            catalog.move("ranker", "production", 3, who="me", why="the third one")
            await scene.comes_to(3)
            async with asyncio.timeout(10):
                while pulled() != ["2", "3"]:
                    await asyncio.sleep(0.01)

    asyncio.run(main())


@pytest.mark.parametrize("fault", [StoreError("no network"), ZeroDivisionError("a bug")])
def test_tries_again_after_a_while(catalog, tmp_path, fault):
    async def main():
        async with following(catalog, tmp_path, fault, times=2, retry=0.05) as scene:
            await scene.comes_to(2)
            assert scene.tried == 3

    asyncio.run(main())


def test_does_not_try_at_every_look_and_says_why_once(catalog, tmp_path, caplog):
    async def main():
        async with following(catalog, tmp_path, StoreError("no network"), times=1) as scene:
            await asyncio.sleep(0.3)
            assert (scene.live.served.number, scene.tried) == (1, 1)
            scene.follower.wake()
            await scene.comes_to(2)

    asyncio.run(main())
    assert caplog.text.count("the live version stays: no network") == 1


def test_a_version_that_answers_otherwise_than_recorded_stays_out(catalog, tmp_path, caplog):
    publish(catalog, tmp_path, 3, recorded_shift=0.5, runtimes=("onnxruntime",))

    async def main():
        async with following(catalog, tmp_path) as scene:
            await scene.comes_to(2)
            catalog.move("ranker", "production", 3, who="me", why="nobody compared it")
            with pytest.raises(ServeError, match=r"score: 16 of 16.*difference is 0\.5"):
                await scene.follower.refresh()
            await asyncio.sleep(0.1)
            assert scene.live.served.number == 2

    asyncio.run(main())


def test_a_store_that_is_gone_leaves_the_version_live(catalog, tmp_path):
    async def main():
        async with following(catalog, tmp_path) as scene:
            await scene.comes_to(2)
            (tmp_path / "store").rename(tmp_path / "elsewhere")
            await asyncio.sleep(0.1)
            assert scene.live.served.number == 2
            with pytest.raises(StoreError):
                await scene.follower.refresh()
            (tmp_path / "elsewhere").rename(tmp_path / "store")
            catalog.move("ranker", "production", 1, who="me", why="back again")
            await scene.comes_to(1)

    asyncio.run(main())
