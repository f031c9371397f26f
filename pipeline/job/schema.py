"""The job file's JSON Schema, and what it knows of a place in a job."""

import inspect
import json
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from pipeline.job.job import Job

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Loc = Sequence[str | int]

#: What a schema has whose values have parts.
_PARTS = {"properties", "patternProperties", "additionalProperties", "items", "discriminator"}


@cache
def job_schema() -> JsonSchemaValue:
    """Generate the schema; descriptions come from the models' docstrings."""
    schema = Job.model_json_schema(schema_generator=_Described)
    _demand_tags(schema, schema["$defs"])
    return {"$schema": DIALECT, **schema}


def schema_text() -> str:
    """Write the schema as `workflows/job.schema.json` has it."""
    return json.dumps(job_schema(), indent=2, ensure_ascii=False) + "\n"


def keys_at(loc: Loc) -> tuple[str, ...]:
    """List the keys that are allowed at a place, in the models' order."""
    node: JsonSchemaValue = job_schema()
    for part in loc:
        node = _step(node, part)
    return tuple(_resolve(node).get("properties", ()))


def describe(model: type[BaseModel]) -> dict[str, str]:
    """Collect what the `Attributes` of a model and of its bases say of each field."""
    found: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if base is not BaseModel and issubclass(base, BaseModel):
            found |= _attributes(inspect.cleandoc(base.__doc__ or ""))
    return found


class _Described(GenerateJsonSchema):
    """Take the descriptions of fields from `Attributes`, so that they are written once."""

    def model_schema(self, schema: Any) -> JsonSchemaValue:  # noqa: ANN401  pydantic's signature
        """Add what the model's docstring says."""
        result = super().model_schema(schema)
        model: type[BaseModel] = schema["cls"]
        result["description"] = _summary(inspect.cleandoc(model.__doc__ or ""))
        aliases = {name: field.alias or name for name, field in model.model_fields.items()}
        for name, text in describe(model).items():
            result["properties"][aliases[name]].setdefault("description", text)
        return result


def _demand_tags(node: JsonSchemaValue, definitions: JsonSchemaValue) -> None:
    """Require the key that tells members of a union apart: the models have a default for it."""
    if "discriminator" in node:
        key = node["discriminator"]["propertyName"]
        for reference in node["discriminator"]["mapping"].values():
            member = definitions[reference.rpartition("/")[2]]
            member["required"] = sorted({*member.get("required", ()), key})
    for child in node.values():
        for inner in child if isinstance(child, list) else [child]:
            if isinstance(inner, dict):
                _demand_tags(inner, definitions)


def _summary(doc: str) -> str:
    return " ".join(doc.split("\n\nAttributes:", maxsplit=1)[0].split())


def _attributes(doc: str) -> dict[str, str]:
    """Read `name, name: text` entries; lines that are indented further go on."""
    _, _, block = doc.partition("Attributes:\n")
    found: dict[str, str] = {}
    for entry in re.split(r"\n(?=    \w)", "\n" + block):
        names, _, text = entry.partition(":")
        for name in names.split(","):
            if name.strip():
                found[name.strip()] = " ".join(text.split())
    return found


def _resolve(node: JsonSchemaValue) -> JsonSchemaValue:
    """Follow references, and take the member of a union that has parts."""
    while "$ref" in node:
        node = job_schema()["$defs"][node["$ref"].rpartition("/")[2]]
    for member in node.get("anyOf", ()):
        whole = _resolve(member)
        if whole.keys() & _PARTS:
            return whole
    return node


def _step(node: JsonSchemaValue, part: str | int) -> JsonSchemaValue:
    node = _resolve(node)
    if "discriminator" in node:
        reference = node["discriminator"]["mapping"].get(part)
        return {"$ref": reference} if reference else {}
    if isinstance(part, int):
        return dict(node.get("items", {}))
    if part in node.get("properties", {}):
        return dict(node["properties"][part])
    free = [*node.get("patternProperties", {}).values(), node.get("additionalProperties")]
    return next((dict(other) for other in free if isinstance(other, dict)), node)
