"""The fields of a version that can be asked for."""

from collections.abc import Callable, Mapping
from datetime import UTC
from types import MappingProxyType

from registry.manifest import BuiltPart, Version

Values = tuple[str | float, ...]


def _parts(version: Version) -> tuple[BuiltPart, ...]:
    return tuple(part for build in version.builds for part in build.parts)


#: The fields that hold numbers.
NUMBERS = frozenset({"version", "bytes", "rows", "error"})

#: What each field holds; a field may hold several values.
FIELDS: Mapping[str, Callable[[Version], Values]] = MappingProxyType(
    {
        "model": lambda v: (v.model,),
        "version": lambda v: (v.number,),
        "created": lambda v: (f"{v.created.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",),
        "bytes": lambda v: (sum(file.size for file in v.files.values()),),
        "fingerprint": lambda v: (v.fingerprint,),
        "file": lambda v: tuple(v.files),
        "digest": lambda v: tuple(file.digest for file in v.files.values()),
        "input": lambda v: tuple(tensor.name for tensor in v.signature.inputs),
        "output": lambda v: tuple(tensor.name for tensor in v.signature.outputs),
        "table": lambda v: tuple(table.name for table in v.tables),
        "rows": lambda v: tuple(table.rows for table in v.tables),
        "target": lambda v: tuple(build.target for build in v.builds),
        "runtime": lambda v: tuple(part.runtime for part in _parts(v)),
        "precision": lambda v: tuple(part.precision for part in _parts(v)),
        "format": lambda v: tuple(part.artifact.format for part in _parts(v)),
        "flag": lambda v: tuple(flag for part in _parts(v) for flag in part.contract.isa),
        "error": lambda v: tuple(
            one.worst for build in v.builds for parity in build.parity for one in parity.outputs
        ),
        "source": lambda v: (v.lineage.source,),
        "commit": lambda v: (v.lineage.commit,) if v.lineage.commit else (),
        "tool": lambda v: tuple(f"{name} {number}" for name, number in v.lineage.tools.items()),
    }
)
