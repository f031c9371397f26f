"""What a host offers, read off trees of files like those that kernels and containers show."""

import os
from pathlib import Path

import pytest

from targets.host.cpu import Host, host, thread_plan

GIB = 1 << 30
ALL = frozenset(range(8))


def tree(root: Path, files: dict[str, str]) -> Path:
    base = {
        "proc/cpuinfo": "".join(
            f"processor : {cpu}\nflags\t\t: fpu avx2 fma{' amx_tile' if cpu else ''}\n\n"
            for cpu in range(8)
        ),
        "proc/meminfo": f"MemTotal:       {16 * GIB // 1024} kB\nMemFree: 1 kB\n",
    }
    base |= {
        f"sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list": f"{cpu % 4},{cpu % 4 + 4}"
        for cpu in range(8)
    }
    for name, text in (base | files).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


MOUNT_V2 = "30 23 0:26 {root} /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup rw\n"
MOUNT_V1 = "31 23 0:27 {root} /sys/fs/cgroup/{name} rw shared:5 - cgroup cgroup rw,{name}\n"


def v2(path: str, files: dict[str, str], root: str = "/") -> dict[str, str]:
    return {
        "proc/self/cgroup": f"0::{path}\n",
        "proc/self/mountinfo": MOUNT_V2.format(root=root),
        **{f"sys/fs/cgroup/{name}": text for name, text in files.items()},
    }


def v1(path: str, files: dict[str, str], root: str = "/") -> dict[str, str]:
    return {
        "proc/self/cgroup": f"5:cpu,cpuacct:{path}\n4:memory:{path}\n",
        "proc/self/mountinfo": MOUNT_V1.format(root=root, name="cpu")
        + MOUNT_V1.format(root=root, name="memory"),
        **{f"sys/fs/cgroup/{name}": text for name, text in files.items()},
    }


def test_flags_are_those_that_all_cpus_have(tmp_path):
    assert host(tree(tmp_path, {}), ALL).flags == {"fpu", "avx2", "fma"}


def test_without_limits_affinity_and_total_memory_count(tmp_path):
    found = host(tree(tmp_path, {}), frozenset({0, 1, 2}))
    assert (found.cpus, found.cores, found.memory) == (3, 3, 16 * GIB)


def test_sibling_threads_are_one_core(tmp_path):
    found = host(tree(tmp_path, {}), ALL)
    assert (found.cpus, found.cores) == (8, 4)
    assert host(tmp_path, frozenset({1, 5})).cores == 1


@pytest.mark.parametrize(
    ("files", "cpus"),
    [
        (v2("/pod", {"pod/cpu.max": "200000 100000"}), 2),
        (v2("/pod", {"pod/cpu.max": "150000 100000"}), 1),
        (v2("/pod", {"pod/cpu.max": "20000 100000"}), 1),
        (v2("/pod", {"pod/cpu.max": "max 100000"}), 8),
        (v2("/pod", {"pod/cpu.max": "1600000 100000"}), 8),
        (v2("/a/b/c", {"a/cpu.max": "300000 100000", "a/b/c/cpu.max": "500000 100000"}), 3),
        (v2("/a/b/c", {"a/b/cpu.max": "max 100000", "a/b/c/cpu.max": "500000 100000"}), 5),
        (v2("/pod", {"cpu.max": "200000 100000"}, root="/pod"), 2),
        (v2("/../other", {"cpu.max": "200000 100000"}), 2),
        (v2("/pod", {"pod/cpu.max": "what is this"}), 8),
        (v1("/pod", {"cpu/pod/cpu.cfs_quota_us": "-1", "cpu/pod/cpu.cfs_period_us": "100000"}), 8),
        (
            v1(
                "/a/b",
                {
                    "cpu/a/cpu.cfs_quota_us": "250000",
                    "cpu/a/cpu.cfs_period_us": "50000",
                    "cpu/a/b/cpu.cfs_quota_us": "700000",
                    "cpu/a/b/cpu.cfs_period_us": "100000",
                },
            ),
            5,
        ),
        (
            v1(
                "/docker/1f",
                {"cpu/cpu.cfs_quota_us": "300000", "cpu/cpu.cfs_period_us": "100000"},
                root="/docker/1f",
            ),
            3,
        ),
    ],
)
def test_the_tightest_quota_of_all_ancestors_counts(tmp_path, files, cpus):
    assert host(tree(tmp_path, files), ALL).cpus == cpus


def test_both_kinds_of_cgroups_count_side_by_side(tmp_path):
    files = v1("/pod", {"cpu/cpu.cfs_quota_us": "600000", "cpu/cpu.cfs_period_us": "100000"})
    both = files | {
        "proc/self/cgroup": files["proc/self/cgroup"] + "0::/unified\n",
        "proc/self/mountinfo": files["proc/self/mountinfo"]
        + "40 23 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
        "sys/fs/cgroup/unified/unified/cpu.max": "400000 100000",
    }
    assert host(tree(tmp_path, both), ALL).cpus == 4


@pytest.mark.parametrize(
    ("files", "memory"),
    [
        (v2("/a/b", {"a/memory.max": str(2 * GIB), "a/b/memory.max": str(4 * GIB)}), 2 * GIB),
        (v2("/a", {"a/memory.max": "max"}), 16 * GIB),
        (v1("/a", {"memory/a/memory.limit_in_bytes": str(3 * GIB)}), 3 * GIB),
        (v1("/a", {"memory/a/memory.limit_in_bytes": "9223372036854771712"}), 16 * GIB),
    ],
)
def test_the_tightest_memory_limit_counts(tmp_path, files, memory):
    assert host(tree(tmp_path, files), ALL).memory == memory


def test_a_quota_below_the_cores_leaves_no_more_cores_than_cpus(tmp_path):
    found = host(tree(tmp_path, v2("/pod", {"pod/cpu.max": "200000 100000"})), ALL)
    assert found.cores == 2


def test_this_host_offers_something():
    here = host()
    assert here.flags
    assert 1 <= here.cores <= here.cpus <= len(os.sched_getaffinity(0))
    assert here.memory > GIB // 4


@pytest.mark.parametrize(("asked", "threads"), [(0, 2), (1, 1), (3, 3), (64, 4)])
def test_threads_follow_the_cores_and_never_pass_the_cpus(asked, threads):
    here = Host(flags=frozenset(), cpus=4, cores=2, memory=GIB)
    assert thread_plan(asked, here).threads == threads


def test_threads_are_pinned_only_where_they_take_the_whole_machine():
    whole = os.cpu_count() or 1
    here = Host(flags=frozenset(), cpus=whole, cores=whole, memory=GIB)
    assert thread_plan(0, here).pinned
    assert not thread_plan(0, Host(frozenset(), whole + 1, whole + 1, GIB)).pinned
