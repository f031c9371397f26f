"""Memory of processes."""

import os
import subprocess

import numpy as np

from pipeline.processes.memory import Peak, memory_of


def test_what_is_held_counts_as_own():
    before = memory_of("self")
    held = np.ones(32 << 20, np.uint8)
    after = memory_of(os.getpid())
    assert after.own - before.own > 24 << 20
    assert after.highest >= after.own
    del held


def test_a_process_that_has_ended_has_none():
    with subprocess.Popen(["true"]) as process:
        process.wait()
    assert memory_of(process.pid) is None
    Peak(process.pid).look()


def test_the_peak_is_the_most_that_was_seen_or_that_the_kernel_knows():
    peak = Peak(os.getpid())
    assert peak.with_end(500, 200) == 300
    peak.look()
    assert peak.with_end(0, 0) > 1 << 20
