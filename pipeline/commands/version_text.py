"""A version in words and figures, for the terminal."""

from collections.abc import Iterator
from datetime import UTC, datetime

from pydantic import JsonValue

from pipeline.showing.progress import amount, size
from registry.composition import Table, Vocabulary
from registry.manifest import Build, BuiltPart, ToolchainUse, Version
from registry.web.words import latency


def plain(text: str) -> str:
    """Show text from a store with nothing in it that could steer a terminal."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def moment(when: datetime) -> str:
    """Write a time in UTC, to the second."""
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def total(version: Version) -> int:
    """Return the bytes of all files."""
    return sum(file.size for file in version.files.values())


def figures(version: Version) -> dict[str, JsonValue]:
    """Sum a version up for machines."""
    return {
        "model": version.model,
        "version": version.number,
        "created": moment(version.created),
        "fingerprint": version.fingerprint,
        "files": len(version.files),
        "bytes": total(version),
        "targets": [build.target for build in version.builds],
    }


def describe(version: Version) -> str:
    """Sum a version up for people, a fact a line."""
    facts = [
        ("version", f"{version.model}@{version.number}"),
        ("created", moment(version.created)),
        ("size", f"{size(total(version))} in {len(version.files)} files"),
        ("fingerprint", version.fingerprint),
        *(("input", str(tensor)) for tensor in version.signature.inputs),
        *(("output", str(tensor)) for tensor in version.signature.outputs),
        *(("axis", f"{name}: {axis}") for name, axis in version.axes.items()),
        *(
            ("table", f"{t.name}: {amount(t.rows, 'rows')} of {t.dim} {t.dtype}{_kept_as(t)}")
            for t in version.tables
        ),
        *(("lookup", f"{one.kind} of {one.ids} in {one.table}") for one in version.lookups),
        *(("words", _words(one)) for one in version.vocabularies),
        *(("kept", f"{table.table}: {table.why}") for table in version.kept),
        *(("target", line) for build in version.builds for line in _build(build)),
        *(("speed", line) for build in version.builds for line in _speeds(build)),
        ("job", version.lineage.job),
        ("source", f"{version.lineage.source}, SHA-256 {version.lineage.source_digest}"),
        *(("commit", commit) for commit in [version.lineage.commit] if commit),
        *(("toolchain", _toolchain(use)) for use in version.lineage.toolchains),
        *(("tool", f"{name} {number}") for name, number in version.lineage.tools.items()),
    ]
    width = max(len(name) for name, _ in facts)
    return "\n".join(f"{name:<{width}}  {plain(text)}" for name, text in facts)


def _words(vocabulary: Vocabulary) -> str:
    known = vocabulary.unknown is not None
    others = f"others are {vocabulary.unknown}" if known else "others are hashed"
    amount_ = amount(vocabulary.words, "words")
    return f"{vocabulary.input} takes ids of {amount_}, in {vocabulary.file}; {others}"


def _toolchain(use: ToolchainUse) -> str:
    what = ", ".join(use.used_for)
    return f"{use.name} of pins {use.pins}, for {what}; support: {use.support}"


def _kept_as(table: Table) -> str:
    """Say how the rows are stored and what unknown ids give, where that is nothing usual."""
    stored = "" if table.rows_as == "f32" else f", stored as {table.rows_as}"
    told = "" if table.unknown == "error" else f", unknown ids: {table.unknown_said}"
    return stored + told


def _build(build: Build) -> Iterator[str]:
    """Yield a line for a build and, where it is cut, one for each of its parts."""
    errors = {parity.kind: max(one.worst for one in parity.outputs) for parity in build.parity}
    said = [f"{kind} error {error:.2g} of what may be" for kind, error in errors.items()]
    said += [f"int8: {build.int8}"] if build.int8 else []
    worst = ", ".join(said)
    if len(build.parts) == 1:
        yield f"{build.target}: {_part(build.parts[0])}; {worst}"
        return
    yield f"{build.target}: parts {', '.join(part.name for part in build.parts)}; {worst}"
    for part in build.parts:
        made = "" if part.target == build.target else f"as for {part.target}, "
        yield f"{build.target}, {part.name}: {made}{_part(part)}"


def _speeds(build: Build) -> Iterator[str]:
    """Yield a line for each batch size, and on what that was measured."""
    if timed := build.benchmark:
        for one in timed.speeds:
            yield (
                f"{build.target}, batch {one.batch}: p50 {latency(one.p50)}, "
                f"p95 {latency(one.p95)}, {amount(one.rate, 'rows')}/s"
            )
        load = timed.busy or f"load {timed.load:g} before"
        yield f"{build.target}: {timed.cpu}, {timed.cpus} CPUs, {load}"


def _part(part: BuiltPart) -> str:
    contract = part.contract
    needs = f"{contract.runtime} {contract.at_least} to below {contract.below}"
    flags = f" on {'+'.join(contract.isa)}" if contract.isa else ""
    allocator = "" if contract.allocator == "default" else f", allocator {contract.allocator}"
    layout = "" if part.layout == "auto" else f", memory format {part.layout}"
    return f"{part.precision}, {needs}{flags}{allocator}{layout}"
