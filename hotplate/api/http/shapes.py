"""Schemas of what the API answers, as the OpenAPI document shows them."""

from typing import Any, Final

from hotplate.api.http.fields import Schema


def text() -> Schema:
    """Return the schema of a text."""
    return {"type": "string"}


def maybe(schema: Schema) -> Schema:
    """Return the schema of a value that may be null."""
    return {"anyOf": [schema, {"type": "null"}]}


def listed(schema: Schema) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": schema}


def mapped(schema: Schema) -> Schema:
    """Return the schema of an object whose values are alike, under names of any kind."""
    return {"type": "object", "additionalProperties": schema}


def choice(*words: str) -> Schema:
    """Return the schema of a text that is one of these."""
    return {"type": "string", "enum": list(words)}


def reference(name: str) -> Schema:
    """Return the schema that the document has under a name; it may contain itself."""
    return {"$ref": f"#/components/schemas/{name}"}


def record(properties: dict[str, Any], optional: dict[str, Any] | None = None) -> Schema:
    """Return the schema of an object that always has the properties, and may have others."""
    return {
        "type": "object",
        "properties": {**properties, **(optional or {})},
        "required": list(properties),
    }


FREE: Final[Schema] = {"type": "object"}
TIME: Final[Schema] = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"}
NULL: Final[Schema] = {"type": "null"}
FLAG: Final[Schema] = {"type": "boolean"}
TEXTS: Final = mapped(text())

LINK: Final = record({"href": text(), "rel": text()})
LINKS: Final = listed(LINK)

PLACE: Final[Schema] = {
    "file": text(),
    "line": maybe({"type": "integer"}),
    "column": maybe({"type": "integer"}),
}
"""The fields that say where something stands."""

FAULT: Final = record(
    {
        "code": {"type": "integer"},
        "title": text(),
        "explanation": text(),
        "error": record(
            {"type": text(), "message": text(), "traceback": maybe(text())},
            {
                "problems": listed(
                    record(
                        {
                            "message": text(),
                            "hint": text(),
                            "cause": text(),
                            "path": text(),
                            **PLACE,
                        }
                    )
                )
            },
        ),
    }
)
