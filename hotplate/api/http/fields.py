"""What a request may carry, declared once, for the server and the OpenAPI document."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from hotplate.api.http.faults import bad_request

Schema = dict[str, Any]
"""A JSON Schema."""


class QueryKind(Enum):
    """How the values of a query parameter are read."""

    TEXT = "text"
    """The first value; an empty one counts as absent."""

    FLAG = "flag"
    COUNT = "count"
    WORDS = "words"
    """Every value that was given, as a tuple."""

    LISTED = "listed"
    """One value with commas in it, as a tuple."""

    DEPTH = "depth"
    """A number, or MAX in any case."""


MAX_DEPTH = -1
"""What `MAX` is read as."""

_MOST_DIGITS = 18
_DEEPER = 10**_MOST_DIGITS
"""What a larger number of levels is read as: nothing is so deep."""


@dataclass(frozen=True, slots=True)
class Query:
    """One query parameter. ``aliases`` are other spellings that clients send."""

    name: str
    kind: QueryKind = QueryKind.TEXT
    description: str = ""
    choices: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    def read(self, given: list[str]) -> Any:
        """Return the value of the parameter, None if there is none. Raises Fault 400."""
        values = [value for value in given if value != ""]
        if not values:
            return None
        for value in values:
            if self.choices and value not in self.choices:
                listed = ", ".join(self.choices)
                raise bad_request(
                    f'Unrecognized value "{value}" for "{self.name}", '
                    f"acceptable values are: {listed}"
                )
        if self.kind is QueryKind.WORDS:
            return tuple(dict.fromkeys(values))
        value = values[0]
        if self.kind is QueryKind.FLAG:
            return self._flag(value)
        if self.kind is QueryKind.LISTED:
            return tuple(dict.fromkeys(part.strip() for part in value.split(",") if part.strip()))
        if self.kind is QueryKind.DEPTH and value.upper() == "MAX":
            return MAX_DEPTH
        if self.kind in (QueryKind.COUNT, QueryKind.DEPTH):
            return self._count(value)
        return value

    def _flag(self, value: str) -> bool:
        if value.lower() not in ("true", "false"):
            raise bad_request(
                f'Unrecognized value "{value}" for "{self.name}", '
                "acceptable values are: true, false"
            )
        return value.lower() == "true"

    def _count(self, value: str) -> int:
        # Digits only: int() would take "1_000" and other scripts' digits as well.
        is_number = value.isascii() and value.isdigit()
        if is_number and self.kind is QueryKind.DEPTH:
            digits = value.lstrip("0") or "0"
            return _DEEPER if len(digits) > _MOST_DIGITS else int(digits)
        if not is_number or len(value) > _MOST_DIGITS:
            wanted = "a number or MAX" if self.kind is QueryKind.DEPTH else "a number"
            raise bad_request(f'the value "{value}" of "{self.name}" must be {wanted}, 0 or more')
        return int(value)

    def schema(self) -> Schema:
        """Return the JSON Schema of one value."""
        if self.kind is QueryKind.FLAG:
            return {"type": "string", "pattern": "^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$"}
        if self.kind is QueryKind.COUNT:
            return {"type": "integer", "minimum": 0, "maximum": 10**18 - 1}
        if self.kind is QueryKind.DEPTH:
            return {
                "oneOf": [
                    {"type": "integer", "minimum": 0},
                    {"type": "string", "pattern": "^[Mm][Aa][Xx]$"},
                ]
            }
        text: Schema = {"type": "string"}
        if self.choices:
            text["enum"] = list(self.choices)
        return {"type": "array", "items": text} if self.kind is QueryKind.WORDS else text


def read_query(
    declared: tuple[Query, ...], given: Mapping[str, list[str]], strict: bool
) -> dict[str, Any]:
    """Return the values that were given, by name.

    Unknown parameters are ignored unless the endpoint is strict about them. Raises Fault 400.
    """
    known: set[str] = set()
    values: dict[str, Any] = {}
    for parameter in declared:
        spellings = (parameter.name, *parameter.aliases)
        known.update(spellings)
        texts = [text for spelling in spellings for text in given.get(spelling, ())]
        value = parameter.read(texts)
        if value is not None:
            values[parameter.name] = value
    unknown = sorted(set(given) - known)
    if strict and unknown:
        raise bad_request(f"Invalid filter parameters {unknown}")
    return values


class Kind(Enum):
    """Kinds of values in a body; the value is the name that JSON Schema uses."""

    TEXT = "string"
    MAP = "object"
    LIST = "array"
    FLAG = "boolean"
    COUNT = "integer"
    NULL = "null"


_WORDS = {
    Kind.TEXT: "a text",
    Kind.MAP: "a map",
    Kind.LIST: "a list",
    Kind.FLAG: "true or false",
    Kind.COUNT: "a whole number",
    Kind.NULL: "null",
}


def kind_of(value: Any) -> Kind | None:
    """Return the kind of a value of JSON; None for a number with a fraction."""
    if value is None:
        return Kind.NULL
    if isinstance(value, bool):
        return Kind.FLAG
    for kind, python in ((Kind.TEXT, str), (Kind.MAP, dict), (Kind.LIST, list), (Kind.COUNT, int)):
        if isinstance(value, python):
            return kind
    return None


@dataclass(frozen=True, slots=True)
class Field:
    """One key of a body. ``items`` is the kind of what a list or a map holds."""

    name: str
    kinds: tuple[Kind, ...] = (Kind.TEXT,)
    description: str = ""
    required: bool = False
    items: tuple[Kind, ...] = ()
    longest: int | None = None
    most: int = 2**31 - 1
    """The greatest number."""

    def check(self, value: Any) -> None:
        """Refuse a value of another kind. Raises Fault 400 that names the field."""
        if kind_of(value) not in (*self.kinds, Kind.NULL):
            raise bad_request(f'the field "{self.name}" must be {_either(self.kinds)}')
        if kind_of(value) is Kind.COUNT and not 0 <= value <= self.most:
            raise bad_request(f'the field "{self.name}" must be between 0 and {self.most}')
        if self.longest is not None and isinstance(value, str) and len(value) > self.longest:
            raise bad_request(
                f'the field "{self.name}" must not be longer than {self.longest} characters'
            )
        if not self.items or not isinstance(value, dict | list):
            return
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in inner:
            if kind_of(item) not in self.items:
                raise bad_request(
                    f'the value "{key}" in the field "{self.name}" must be {_either(self.items)}'
                )

    def schema(self) -> Schema:
        """Return the JSON Schema of the field."""
        kinds = sorted({*(kind.value for kind in self.kinds), "null"})
        schema: Schema = {"type": kinds, "description": self.description}
        inner = {"type": sorted(kind.value for kind in self.items)} if self.items else {}
        if Kind.LIST in self.kinds:
            schema["items"] = inner
        if Kind.MAP in self.kinds and inner:
            schema["additionalProperties"] = inner
        if self.longest is not None:
            schema["maxLength"] = self.longest
        if Kind.COUNT in self.kinds:
            schema |= {"minimum": 0, "maximum": self.most}
        return schema


def _either(kinds: tuple[Kind, ...]) -> str:
    return " or ".join(_WORDS[kind] for kind in kinds)


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a request: a JSON object. Unknown keys are left alone unless ``closed``."""

    fields: tuple[Field, ...] = ()
    required: bool = True
    closed: bool = False
    free: bool = field(default=False)
    """Any JSON object, or none at all."""

    def check(self, body: dict[str, Any] | None) -> dict[str, Any]:
        """Return the body, an empty one for none. Raises Fault 400 that names the field."""
        if body is None:
            if self.required:
                raise bad_request("the request needs a body: a JSON object")
            return {}
        for declared in self.fields:
            value = body.get(declared.name)
            if declared.required and value is None:
                raise bad_request(f'the field "{declared.name}" is missing')
            declared.check(value)
        unknown = sorted(set(body) - {declared.name for declared in self.fields})
        if self.closed and unknown:
            raise bad_request(f"Unexpected arguments: {', '.join(unknown)}")
        return body

    def schema(self) -> Schema:
        """Return the JSON Schema of the body."""
        schema: Schema = {
            "type": "object",
            "properties": {declared.name: declared.schema() for declared in self.fields},
        }
        needed = [declared.name for declared in self.fields if declared.required]
        if needed:
            schema["required"] = needed
        if self.closed:
            schema["additionalProperties"] = False
        return schema
