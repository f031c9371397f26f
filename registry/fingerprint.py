"""What makes two versions the same: that they answer from the same bytes."""

import hashlib
import json
from collections.abc import Mapping

from registry.manifest import Draft, File

#: Of a version's folder: text about how it came to be, which answers nothing.
_TEXTS = frozenset({"job.yaml", "draft.json"})

#: Who made a file and what it was measured to do are not what it answers.
_ARTIFACT = {"maker"}
_BUILD = {"target": True, "runtime": True, "precision": True, "dense": True, "contract": True}
_UNMEASURED = {"dense": _ARTIFACT, "contract": {"memory"}}


def fingerprint(draft: Draft, files: Mapping[str, File]) -> str:
    """Digest what a version answers with; equal for two that differ in report and lineage only.

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
    return not is_report and name != draft.recorded and name not in _TEXTS
