"""What makes two versions the same: the bytes that they answer from, and what was promised."""

import hashlib
import json
from collections.abc import Mapping

from pydantic.main import IncEx

from registry.manifest import Draft, File

#: Of a version's folder: text about how it came to be, which answers nothing.
_TEXTS = frozenset({"job.yaml", "draft.json"})

#: Who made a file and what it was measured to do are not what it answers; what it may be off is
#: what rollouts hold it against.
_ARTIFACT = {"maker"}
_TOLERANCE: IncEx = {"__all__": {"output", "atol", "rtol", "because"}}
_PARITY: dict[str, IncEx | bool] = {"kind": True, "outputs": _TOLERANCE, "losses": True}
_PARITIES: IncEx = {"__all__": _PARITY}
_BUILD: dict[str, IncEx | bool] = {
    "target": True,
    "runtime": True,
    "precision": True,
    "dense": True,
    "contract": True,
    "parity": _PARITIES,
}
_UNMEASURED = {"dense": _ARTIFACT, "contract": {"memory"}}


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
        "tables": [table.model_dump(mode="json", exclude_defaults=True) for table in draft.tables],
        "lookups": [
            lookup.model_dump(mode="json", exclude_defaults=True) for lookup in draft.lookups
        ],
        "builds": [
            build.model_dump(
                mode="json", exclude_defaults=True, include=_BUILD, exclude=_UNMEASURED
            )
            for build in draft.builds
        ],
        "files": {name: file.digest for name, file in files.items() if _answers(draft, name)},
    }
    text = json.dumps(answering, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _answers(draft: Draft, name: str) -> bool:
    is_report = draft.report is not None and name.startswith(f"{draft.report}/")
    return not is_report and name not in _TEXTS
