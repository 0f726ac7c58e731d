"""Schemas of software configs and deployments."""

from typing import Final

from hotplate.api.http.shapes import FREE, TIME, listed, maybe, record, text
from hotplate.model import ValueType

_TYPE = {"type": "string", "enum": [kind.value for kind in ValueType]}
_INPUT = record(
    {"name": text(), "type": _TYPE},
    {"description": text(), "default": {}, "replace_on_change": {"type": "boolean"}, "value": {}},
)
_OUTPUT = record(
    {"name": text(), "type": _TYPE, "error_output": {"type": "boolean"}}, {"description": text()}
)
_NAMED = {"id": text(), "name": maybe(text()), "group": maybe(text()), "creation_time": TIME}

LISTED_CONFIG: Final = record(_NAMED, {"project": text()})
CONFIG: Final = record(
    {
        **_NAMED,
        "config": {"type": ["string", "object", "null"]},
        "inputs": listed(_INPUT),
        "outputs": listed(_OUTPUT),
        "options": FREE,
    }
)
DEPLOYMENT: Final = record(
    {
        "id": text(),
        "server_id": text(),
        "config_id": text(),
        "input_values": FREE,
        "output_values": maybe(FREE),
        "action": maybe(text()),
        "status": maybe(text()),
        "status_reason": text(),
        "creation_time": TIME,
    },
    {"updated_time": TIME},
)
