"""The API told for machines: an OpenAPI document, made from the records' own schemas."""

import json
import re
from collections.abc import Mapping
from functools import cache

from pydantic import JsonValue
from pydantic.json_schema import models_json_schema

from registry.web.screens import NUMBER, SCREENS, TEXT, Screen

#: Why a request may not be answered.
_REFUSALS = {
    "400": "A field of the query is not understood.",
    "404": "There is no such thing.",
    "405": "The API only tells: it takes GET and HEAD.",
    "421": "The request was meant for another host.",
    "500": "A fault of the server, which its log tells.",
    "502": "The store fails, or what it holds is damaged.",
    "503": "The server ends.",
}

_ABOUT = "JSON has no infinity: it is written as the string 'Infinity', and no number as 'NaN'."

_PLACE = "#/components/schemas/{model}"


@cache
def openapi() -> bytes:
    """Write the document."""
    records, definitions = models_json_schema(
        [(screen.look, "serialization") for screen in SCREENS], ref_template=_PLACE
    )
    schemas = definitions["$defs"] | {
        "Refusal": {
            "type": "object",
            "properties": {"error": {"type": "string"}},
            "required": ["error"],
        }
    }
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Model registry", "version": "1", "description": _ABOUT},
        "paths": {
            f"/api{screen.path}": {"get": _operation(screen, records[screen.look, "serialization"])}
            for screen in SCREENS
        },
        "components": {"schemas": schemas},
    }
    return json.dumps(document, indent=1).encode()


def _operation(screen: Screen, record: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    fields = re.findall(r"\{([a-z]+)\}", screen.path)
    answers: dict[str, JsonValue] = {
        code: _answer(about, {"$ref": _PLACE.format(model="Refusal")})
        for code, about in _REFUSALS.items()
    }
    return {
        "operationId": screen.name,
        "summary": screen.about,
        "parameters": [
            *(
                _field(name, "path", NUMBER if name == "number" else TEXT, needed=True)
                for name in fields
            ),
            *(
                _field(name, "query", schema, needed=name in screen.needed)
                for name, schema in screen.query
            ),
        ],
        "responses": {"200": _answer(screen.about, dict(record)), **answers},
    }


def _field(
    name: str, place: str, schema: dict[str, JsonValue], *, needed: bool
) -> dict[str, JsonValue]:
    return {"name": name, "in": place, "required": needed, "schema": schema}


def _answer(about: str, schema: dict[str, JsonValue]) -> JsonValue:
    return {"description": about, "content": {"application/json": {"schema": schema}}}
