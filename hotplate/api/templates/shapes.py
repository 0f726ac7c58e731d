"""Schemas of what the API answers about templates and resource types."""

from typing import Final

from hotplate.api.http.fields import Schema
from hotplate.api.http.shapes import (
    FLAG,
    FREE,
    choice,
    listed,
    mapped,
    maybe,
    record,
    reference,
    text,
)
from hotplate.api.templates.type_documents import CFN_TYPES
from hotplate.resources.property import PropertyKind
from hotplate.resources.support import SupportStatus

PROPERTY: Final = reference("Property")
SUPPORT: Final = reference("Support")
VALIDATED: Final = reference("ValidatedTemplate")

_NUMBER: Final[Schema] = {"type": "number"}
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

COMPONENTS: Final[dict[str, Schema]] = {
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
    "ValidatedTemplate": record(
        {"Description": text(), "Parameters": mapped(PARAMETER)},
        {
            "ParameterGroups": listed(_GROUP),
            "NestedParameters": mapped({"allOf": [record({"Type": text()}), VALIDATED]}),
        },
    ),
}
"""Schemas by the names that others refer to them by; some contain themselves."""
