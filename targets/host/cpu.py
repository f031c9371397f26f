"""What this host lets the process use: CPU flags, CPUs, cores, memory.

A container's CPU limit is a quota, which neither the number of processors nor the
affinity shows; a pool sized without it is throttled. Every ancestor's quota counts, in
cgroups v1 and v2. A quota of one and a half CPUs allows one thread: with two, both wait.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from targets.host.cgroups import cgroups, lines_of, text_of
from targets.target import ThreadPlan

ROOT = Path("/")


@dataclass(frozen=True)
class Host:
    """A host as this process may use it.

    Attributes:
        flags: What all of its CPUs can do, by the kernel's names in /proc/cpuinfo.
        cpus: Effective CPUs: no more than affinity and the tightest quota allow.
        cores: Physical cores among them.
        memory: Bytes, by the tightest limit.
    """

    flags: frozenset[str]
    cpus: int
    cores: int
    memory: int


def host(root: Path = ROOT, affinity: frozenset[int] | None = None) -> Host:
    """Find out what this process may use.

    Args:
        root: Where `proc` and `sys` lie.
        affinity: CPUs that the process may run on; asked of the kernel if not given.
    """
    allowed = affinity if affinity is not None else frozenset(os.sched_getaffinity(0))
    quotas = [_quota(folder, unified=unified) for folder, unified in cgroups(root, "cpu")]
    cpus = min([len(allowed), *(max(1, int(quota)) for quota in quotas if quota)])
    limits = [_limit(folder, unified=unified) for folder, unified in cgroups(root, "memory")]
    return Host(
        flags=_flags(root),
        cpus=cpus,
        cores=min(cpus, _cores(root, allowed)),
        memory=min([_total_memory(root), *(limit for limit in limits if limit)]),
    )


def thread_plan(threads: int, here: Host) -> ThreadPlan:
    """Plan the threads of one runtime: as many as asked for, but no more than there are CPUs.

    Args:
        threads: 0 takes one for each physical core.
    """
    count = min(threads, here.cpus) if threads else here.cores
    # Pinned threads of two processes would meet on the same cores while others idle.
    return ThreadPlan(threads=count, pinned=count == os.cpu_count())


def _flags(root: Path) -> frozenset[str]:
    found: list[frozenset[str]] = []
    for line in lines_of(root / "proc/cpuinfo"):
        name, _, value = line.partition(":")
        if name.strip() in ("flags", "Features"):
            found.append(frozenset(value.split()))
    return frozenset.intersection(*found) if found else frozenset()


def _cores(root: Path, allowed: frozenset[int]) -> int:
    """Count groups of sibling threads."""
    topology = "sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
    siblings = {cpu: text_of(root / topology.format(cpu)) for cpu in allowed}
    return len({known or str(cpu) for cpu, known in siblings.items()})


def _total_memory(root: Path) -> int:
    for line in lines_of(root / "proc/meminfo"):
        if line.startswith("MemTotal:"):
            return int(line.split()[1]) * 1024
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _quota(folder: Path, *, unified: bool) -> float | None:
    """Return the CPUs that a cgroup may use, or None where it is not limited."""
    if unified:
        quota, period = (*text_of(folder / "cpu.max").split(), "max", "100000")[:2]
    else:
        quota = text_of(folder / "cpu.cfs_quota_us")
        period = text_of(folder / "cpu.cfs_period_us")
    if not quota.isdecimal() or not period.isdecimal() or not int(period):
        return None
    return int(quota) / int(period)


def _limit(folder: Path, *, unified: bool) -> int | None:
    text = text_of(folder / ("memory.max" if unified else "memory.limit_in_bytes"))
    return int(text) if text.isdecimal() else None
