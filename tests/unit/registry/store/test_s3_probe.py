import threading

import pytest

from registry.errors import StoreError
from registry.store.s3_probe import WRITERS, probe


class Service:
    """Objects as services keep them that do not do what they are told."""

    def __init__(self, *, waits: bool = False, alters: bytes = b"") -> None:
        self.kept: bytes | None = None
        self.alters = alters
        self.barrier = threading.Barrier(WRITERS if waits else 1)
        self.lock = threading.Lock()

    def create(self, data: bytes) -> bool:
        if self.barrier.parties == 1:
            with self.lock:
                return self._look_and_write(data)
        return self._look_and_write(data)

    def get(self) -> bytes | None:
        return self.kept

    def _look_and_write(self, data: bytes) -> bool:
        is_free = self.kept is None
        self.barrier.wait(10)
        if is_free:
            self.kept = data + self.alters
        return is_free


def test_trusts_a_service_where_one_writer_wins():
    service = Service()
    probe("here", service.create, service.get)


def test_finds_a_service_that_checks_before_it_locks():
    service = Service(waits=True)
    with pytest.raises(StoreError, match=f"of {WRITERS} writers of one object, {WRITERS} succ"):
        probe("here", service.create, service.get)


def test_finds_a_service_that_ignores_the_condition():
    with pytest.raises(StoreError, match=r"here: .*add \?single_writer=true"):
        probe("here", lambda data: True, lambda: b"writer 0 of a probe\n")


def test_finds_a_service_that_alters_what_it_keeps():
    service = Service(alters=b"\r\nx-amz-checksum-crc32:AAAAAA==\r\n")
    with pytest.raises(StoreError, match="does not hold what the writer that won had sent"):
        probe("here", service.create, service.get)
