"""Schemas of what the API answers about stacks: plans, exports, environments."""

from typing import Any, Final

from hotplate.api.http.differences import DIFFERENCES
from hotplate.api.http.fields import Schema
from hotplate.api.http.shapes import (
    FLAG,
    FREE,
    TEXTS,
    TIME,
    choice,
    listed,
    mapped,
    maybe,
    record,
    reference,
    text,
)
from hotplate.engine.preview.origins import SourceKind
from hotplate.model import Action, Status

EXPORT: Final = reference("Export")
PREVIEWED: Final = reference("PreviewedResources")

ENVIRONMENT_SECTIONS: Final[dict[str, Any]] = {
    "parameters": FREE,
    "parameter_defaults": FREE,
    "resource_registry": record({}, {"resources": FREE}),
    "event_sinks": listed({}),
}
_ACTION: Final = choice(*(action.value for action in Action))
_STATUS: Final = choice(*(status.value for status in Status))

_IDENTITY: Final = record(
    {"tenant": text(), "stack_name": text(), "stack_id": text(), "path": text()}
)
SOURCE: Final = record(
    {
        "kind": choice(*(kind.value for kind in SourceKind)),
        "name": text(),
        "file": text(),
        "line": maybe({"type": "integer"}),
        "path": text(),
    }
)
"""A place that a value comes from."""

_CHANGE: Final = record(
    {"property": text(), "old": {}, "new": {}, "is_in_place": FLAG, "sources": listed(SOURCE)}
)
PLANNED: Final = record(
    {
        "resource_name": text(),
        "resource_type": text(),
        "physical_resource_id": text(),
        "resource_action": _ACTION,
        "resource_status": _STATUS,
        "resource_status_reason": text(),
        "resource_identity": _IDENTITY,
        "stack_identity": _IDENTITY,
        "stack_name": text(),
        "required_by": listed(text()),
        "creation_time": maybe(TIME),
        "updated_time": maybe(TIME),
        "description": text(),
        "metadata": FREE,
        "attributes": FREE,
        "path": listed(text()),
        "reason": text(),
        "changes": listed(_CHANGE),
        "differences": DIFFERENCES,
        "is_certain": FLAG,
        "is_kept": FLAG,
        "is_refused": FLAG,
        "written": maybe(SOURCE),
    },
    {"properties": FREE, "parent_resource": text()},
)
"""What would become of a resource."""

_RESOURCE_DATA: Final = {
    "name": text(),
    "resource_id": maybe(text()),
    "type": text(),
    "action": _ACTION,
    "status": _STATUS,
    "metadata": FREE,
    "resource_data": FREE,
}
_EXPORTED: Final = {
    "name": text(),
    "id": text(),
    "action": _ACTION,
    "status": _STATUS,
    "project_id": text(),
    "stack_user_project_id": maybe(text()),
    "tags": listed(text()),
    "template": FREE,
    "environment": record(ENVIRONMENT_SECTIONS),
    "files": TEXTS,
    "resources": mapped({"anyOf": [record(_RESOURCE_DATA), EXPORT]}),
}

COMPONENTS: Final[dict[str, Schema]] = {
    "Export": record(_EXPORTED, {"hotplate_recipe": FREE}),
    "PreviewedResources": listed({"anyOf": [PLANNED, PREVIEWED]}),
}
"""Schemas by the names that others refer to them by; some contain themselves."""
