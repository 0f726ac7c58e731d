"""Schemas of what the workflow API answers."""

from typing import Any, Final

from hotplate.api.http.fields import Schema
from hotplate.api.http.shapes import FLAG, TEXTS, listed, maybe, record, text

MOMENT: Final[Schema] = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$"}
JSON_TEXT: Final[Schema] = {"type": "string", "description": "JSON as a text."}
_TIMES: dict[str, Any] = {"created_at": maybe(MOMENT), "updated_at": maybe(MOMENT)}
_MAYBE_TEXT = maybe(text())

FAULT: Final = record({"debuginfo": maybe(text()), "faultcode": text(), "faultstring": text()})

EXECUTION: Final = record(
    {"id": text()},
    {
        "workflow_id": text(),
        "workflow_name": text(),
        "workflow_namespace": text(),
        "description": text(),
        "tags": listed(text()),
        "params": JSON_TEXT,
        "task_execution_id": _MAYBE_TEXT,
        "root_execution_id": _MAYBE_TEXT,
        "state": text(),
        "state_info": _MAYBE_TEXT,
        "input": JSON_TEXT,
        "output": JSON_TEXT,
        "published_global": JSON_TEXT,
        "project_id": text(),
        **_TIMES,
    },
)
TASK: Final = record(
    {"id": text()},
    {
        "name": text(),
        "type": text(),
        "workflow_name": text(),
        "workflow_namespace": text(),
        "workflow_id": text(),
        "workflow_execution_id": text(),
        "tags": listed(text()),
        "state": text(),
        "state_info": _MAYBE_TEXT,
        "project_id": text(),
        "runtime_context": JSON_TEXT,
        "result": JSON_TEXT,
        "published": JSON_TEXT,
        "processed": FLAG,
        "started_at": maybe(MOMENT),
        "finished_at": maybe(MOMENT),
        **_TIMES,
    },
)
ACTION_EXECUTION: Final = record(
    {"id": _MAYBE_TEXT},
    {
        "workflow_name": _MAYBE_TEXT,
        "workflow_namespace": _MAYBE_TEXT,
        "task_name": _MAYBE_TEXT,
        "task_execution_id": _MAYBE_TEXT,
        "state": text(),
        "state_info": _MAYBE_TEXT,
        "tags": maybe(listed(text())),
        "name": text(),
        "description": _MAYBE_TEXT,
        "project_id": _MAYBE_TEXT,
        "accepted": maybe(FLAG),
        "input": JSON_TEXT,
        "output": maybe(JSON_TEXT),
        **_TIMES,
    },
)
_DEFINED: dict[str, Any] = {
    "name": text(),
    "namespace": text(),
    "definition": text(),
    "tags": maybe(listed(text())),
    "scope": text(),
    "project_id": _MAYBE_TEXT,
    **_TIMES,
}
WORKFLOW: Final = record(
    {"id": text()},
    {
        **_DEFINED,
        "input": text(),
        "interface": {"type": ["object", "string"]},
        "checksum": _MAYBE_TEXT,
    },
)
WORKBOOK: Final = record({"id": text()}, _DEFINED)
ACTION: Final = record(
    {"id": text()},
    {**_DEFINED, "is_system": FLAG, "input": text(), "description": text()},
)
ENVIRONMENT: Final = record(
    {"id": text()},
    {
        "name": text(),
        "description": _MAYBE_TEXT,
        "variables": JSON_TEXT,
        "scope": text(),
        "project_id": text(),
        **_TIMES,
    },
)
TRIGGER: Final = record(
    {"id": text()},
    {
        "name": text(),
        "workflow_name": text(),
        "workflow_id": text(),
        "workflow_input": JSON_TEXT,
        "workflow_params": JSON_TEXT,
        "project_id": text(),
        "scope": text(),
        "pattern": _MAYBE_TEXT,
        "remaining_executions": maybe({"type": "integer"}),
        "first_execution_time": maybe(MOMENT),
        "next_execution_time": maybe(MOMENT),
        **_TIMES,
    },
)
VALIDITY: Final = record({"valid": FLAG}, {"error": text()})
SERVICES: Final = record({"services": listed(TEXTS)})


def page_of(key: str, entry: Schema) -> Schema:
    """Return the schema of a page of a list."""
    return record({key: listed(entry)}, {"next": text()})
