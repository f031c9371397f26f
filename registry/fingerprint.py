"""What makes two versions the same: the bytes that they answer from, and what was promised."""

import hashlib
import json
from collections.abc import Mapping

from pydantic.main import IncEx

from registry.manifest import Build, BuiltPart, Draft, File

#: Of a version's folder: text about how it came to be, which answers nothing.
_TEXTS = frozenset({"job.yaml", "draft.json"})

#: Who made a file and what it was measured to do are not what it answers; what it may be off is
#: what rollouts hold it against.
_ARTIFACT = {"maker"}
_TOLERANCE: IncEx = {"__all__": {"output", "atol", "rtol", "because"}}
_PARITY: dict[str, IncEx | bool] = {"kind": True, "outputs": _TOLERANCE, "losses": True}
_PARITIES: IncEx = {"__all__": _PARITY}
_BUILD: dict[str, IncEx | bool] = {"target": True, "parity": _PARITIES}
_PART = {"runtime", "precision", "contract"}
_UNMEASURED: IncEx = {"contract": {"memory"}}


def fingerprint(draft: Draft, files: Mapping[str, File]) -> str:
    """Digest what a version answers with and is held against, and not report, lineage and numbers.

    Fields that have their default are left out, so that a field more is no other version.
    """
    answering = {
        "model": draft.model,
        "signature": draft.signature.model_dump(mode="json", exclude_defaults=True),
        "inputs": [
            tensor.model_dump(mode="json", exclude_defaults=True) for tensor in draft.inputs
        ],
        "axes": {
            name: axis.model_dump(mode="json", exclude_defaults=True)
            for name, axis in draft.axes.items()
        },
        "ids": draft.ids
        and draft.ids.model_dump(mode="json", exclude_defaults=True, exclude=_ARTIFACT),
        **_hops(draft),
        **_handed(draft),
        "tables": [table.model_dump(mode="json", exclude_defaults=True) for table in draft.tables],
        "lookups": [
            lookup.model_dump(mode="json", exclude_defaults=True) for lookup in draft.lookups
        ],
        "builds": [_of_build(build) for build in draft.builds],
        "files": {name: file.digest for name, file in files.items() if _answers(draft, name)},
    }
    text = json.dumps(answering, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _hops(draft: Draft) -> dict[str, object]:
    """Leave versions without any, which most are, the fingerprint that they always had."""
    programs = [
        one.model_dump(mode="json", exclude_defaults=True, exclude=_ARTIFACT) for one in draft.hops
    ]
    return {"hops": programs} if programs else {}


def _handed(draft: Draft) -> dict[str, object]:
    """Likewise of what is made of users' inputs before the lookups."""
    made = [one.model_dump(mode="json", exclude_defaults=True) for one in draft.handed]
    return {"handed": made} if made else {}


def _of_build(build: Build) -> dict[str, object]:
    """Describe a build; one that is not cut into parts, as when none was ever cut."""
    known = build.model_dump(mode="json", exclude_defaults=True, include=_BUILD)
    if len(build.parts) == 1:
        return known | _of_part(build.parts[0])
    return known | {"parts": [{"name": one.name, **_of_part(one)} for one in build.parts]}


def _of_part(part: BuiltPart) -> dict[str, object]:
    artifact = part.artifact.model_dump(mode="json", exclude_defaults=True, exclude=_ARTIFACT)
    demands = part.model_dump(
        mode="json", exclude_defaults=True, include=_PART, exclude=_UNMEASURED
    )
    return {**demands, "dense": artifact}


def _answers(draft: Draft, name: str) -> bool:
    is_report = draft.report is not None and name.startswith(f"{draft.report}/")
    return not is_report and name not in _TEXTS
