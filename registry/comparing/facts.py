"""What is said of a version, fact by fact, so that two can be laid side by side."""

from registry.comparing.difference import Change, FileChange, ParityChange, SpeedChange
from registry.manifest import Build, BuiltPart, Speed, Version
from registry.patching.needed import lacking
from registry.signature import Tensor


def changed_facts(one: Version, other: Version) -> tuple[Change, ...]:
    """List the facts that differ, in order."""
    before, after = facts_of(one), facts_of(other)
    return tuple(
        Change(what=what, before=before.get(what), after=after.get(what))
        for what in dict.fromkeys([*before, *after])
        if before.get(what) != after.get(what)
    )


def facts_of(version: Version) -> dict[str, str]:
    """Say what a version takes, answers, demands and comes from; not what it was measured."""
    facts = {f"input {tensor.name}": _form(tensor) for tensor in version.signature.inputs}
    facts |= {f"output {tensor.name}": _form(tensor) for tensor in version.signature.outputs}
    facts |= {f"axis {name}": str(axis) for name, axis in version.axes.items()}
    facts |= {
        f"lookup {one.output}": f"{one.kind} of {one.ids} in {one.table}" for one in version.lookups
    }
    facts |= {
        f"unknown ids of {table.name}": table.unknown_said
        for table in version.tables
        if table.unknown != "error"
    }
    facts |= {
        f"format of {table.name}": table.rows_as
        for table in version.tables
        if table.rows_as != "f32"
    }
    facts |= {f"kept {kept.table}": kept.why for kept in version.kept}
    for build in version.builds:
        facts |= _of_build(build)
    lineage = version.lineage
    facts |= {
        "source": lineage.source,
        "source digest": lineage.source_digest,
        "commit": lineage.commit or "",
    }
    facts |= {f"tool {name}": number for name, number in lineage.tools.items()}
    for use in lineage.toolchains:
        facts[f"toolchain {use.name}"] = f"pins {use.pins[:12]}, for {', '.join(use.used_for)}"
        facts |= {f"{name} of toolchain {use.name}": at for name, at in use.packages.items()}
    return facts


def _form(tensor: Tensor) -> str:
    return str(tensor).removeprefix(f"{tensor.name}: ")


def _of_build(build: Build) -> dict[str, str]:
    timed = build.benchmark
    host = {f"timed {build.target} on": f"{timed.cpu}, {timed.cpus} CPUs"} if timed else {}
    return _of_parts(build) | host


def _of_parts(build: Build) -> dict[str, str]:
    if len(build.parts) == 1:
        return _of_part(build.target, build.parts[0])
    facts = {f"target {build.target}": "parts " + ", ".join(part.name for part in build.parts)}
    for part in build.parts:
        facts |= _of_part(f"{build.target}, {part.name}", part)
    return facts


def _of_part(target: str, part: BuiltPart) -> dict[str, str]:
    contract = part.contract
    return {
        f"target {target}": f"{part.runtime}, {part.precision}, {part.artifact.format}",
        f"runtime of {target}": f"{contract.at_least} to below {contract.below}",
        f"flags of {target}": "+".join(contract.isa) or "none",
        f"threads of {target}": str(contract.threads or "as the host has"),
        f"maker of {target}": part.artifact.maker,
    }


def changed_files(one: Version, other: Version) -> tuple[FileChange, ...]:
    """List the files that one lacks, or that have other bytes."""
    names = sorted({*one.files, *other.files})
    pairs = ((name, one.files.get(name), other.files.get(name)) for name in names)
    return tuple(
        FileChange(
            name=name,
            before=left.size if left else None,
            after=right.size if right else None,
        )
        for name, left, right in pairs
        if left != right
    )


def changed_parity(one: Version, other: Version) -> tuple[ParityChange, ...]:
    """List the largest errors that differ."""
    before, after = _errors(one), _errors(other)
    return tuple(
        ParityChange(target=key[0], kind=key[1], before=before.get(key), after=after.get(key))
        for key in dict.fromkeys([*before, *after])
        if before.get(key) != after.get(key)
    )


def changed_speeds(one: Version, other: Version) -> tuple[SpeedChange, ...]:
    """List how fast builds answer, where either was timed and not both at once."""
    before, after = _speeds(one), _speeds(other)
    pairs = {key: (before.get(key), after.get(key)) for key in dict.fromkeys([*before, *after])}
    return tuple(
        SpeedChange(
            target=target,
            batch=batch,
            p50=(left.p50 if left else None, right.p50 if right else None),
            p95=(left.p95 if left else None, right.p95 if right else None),
        )
        for (target, batch), (left, right) in pairs.items()
        if left != right
    )


def _speeds(version: Version) -> dict[tuple[str, int], Speed]:
    return {
        (build.target, speed.batch): speed
        for build in version.builds
        if build.benchmark
        for speed in build.benchmark.speeds
    }


def moved_bytes(one: Version, other: Version) -> int:
    """Return the bytes that who has the one must fetch to have the other."""
    there = {file.digest for file in one.files.values()}
    return sum(lacking(other, other.files, there).values())


def _errors(version: Version) -> dict[tuple[str, str], float]:
    return {
        (build.target, parity.kind): max(one.worst for one in parity.outputs)
        for build in version.builds
        for parity in build.parity
    }
