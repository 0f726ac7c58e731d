"""Schemas of answers that contain answers of their own kind, by the names they are referred by."""

from typing import Any, Final

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
from hotplate.api.resources.documents import RESOURCE
from hotplate.api.stacks.documents import SUMMARY
from hotplate.api.templates.type_documents import CFN_TYPES
from hotplate.engine.preview.origins import SourceKind
from hotplate.model import Action, Status
from hotplate.resources.property import PropertyKind
from hotplate.resources.support import SupportStatus

EXPORT: Final = reference("Export")
PREVIEWED: Final = reference("PreviewedResources")
PROPERTY: Final = reference("Property")
SUPPORT: Final = reference("Support")
TREE: Final = reference("Tree")
VALIDATED: Final = reference("ValidatedTemplate")

ENVIRONMENT_SECTIONS: Final[dict[str, Any]] = {
    "parameters": FREE,
    "parameter_defaults": FREE,
    "resource_registry": record({}, {"resources": FREE}),
    "event_sinks": listed({}),
}
_NUMBER: Final[Schema] = {"type": "number"}
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
        "is_certain": FLAG,
        "is_kept": FLAG,
        "written": maybe(SOURCE),
    },
    {"properties": FREE, "parent_resource": text()},
)
"""What would become of a resource."""

PARAMETER: Final = record(
    {
        "Type": choice(*CFN_TYPES.values()),
        "Description": text(),
        "NoEcho": choice("true", "false"),
        "Label": text(),
    },
    {
        "Default": {},
        "Value": {},
        "Tags": listed(text()),
        "MinLength": _NUMBER,
        "MaxLength": _NUMBER,
        "MinValue": _NUMBER,
        "MaxValue": _NUMBER,
        "Step": _NUMBER,
        "Offset": _NUMBER,
        "AllowedValues": listed({}),
        "AllowedPattern": text(),
        "CustomConstraint": text(),
        "ConstraintDescription": text(),
    },
)
_GROUP: Final = record({"label": text(), "description": text(), "parameters": listed(text())})
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
    "Property": record(
        {
            "type": choice(*(kind.value for kind in PropertyKind)),
            "required": FLAG,
            "update_allowed": FLAG,
            "immutable": FLAG,
        },
        {
            "description": text(),
            "default": {},
            "constraints": listed(FREE),
            "schema": mapped(PROPERTY),
        },
    ),
    "Support": record(
        {
            "status": choice(*(status.value for status in SupportStatus)),
            "message": maybe(text()),
            "version": maybe(text()),
            "previous_status": maybe(SUPPORT),
        }
    ),
    "Tree": {
        "allOf": [
            SUMMARY,
            record(
                {
                    "resources": listed(
                        {"allOf": [RESOURCE, record({}, {"stack": TREE, "hook": text()})]}
                    )
                }
            ),
        ]
    },
    "ValidatedTemplate": record(
        {"Description": text(), "Parameters": mapped(PARAMETER)},
        {
            "ParameterGroups": listed(_GROUP),
            "NestedParameters": mapped({"allOf": [record({"Type": text()}), VALIDATED]}),
        },
    ),
}
"""Schemas by name, for the part of the document that others refer to."""
