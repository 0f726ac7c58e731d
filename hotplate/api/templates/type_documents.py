"""Resource types as the API shows them: their schema, and a template with one resource of them."""

from collections.abc import Mapping
from typing import Any, Final

from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.resource_type import ResourceType
from hotplate.resources.support import Support
from hotplate.template.constraint import Constraint

_SHOW: Final = "show"
_SHOWN: Final = "all that the service knows of the object"

_HOT_TYPES: Final[Mapping[PropertyKind, str]] = {
    PropertyKind.STRING: "string",
    PropertyKind.INTEGER: "number",
    PropertyKind.NUMBER: "number",
    PropertyKind.BOOLEAN: "boolean",
    PropertyKind.LIST: "comma_delimited_list",
    PropertyKind.MAP: "json",
    PropertyKind.ANY: "json",
}
CFN_TYPES: Final[Mapping[str, str]] = {
    "string": "String",
    "number": "Number",
    "boolean": "Boolean",
    "comma_delimited_list": "CommaDelimitedList",
    "json": "Json",
}
"""What CloudFormation calls the types of parameters, by the name that HOT has for them."""


def description_of(resource_type: ResourceType) -> str:
    """Return what a type is for."""
    words = resource_type.description or (type(resource_type).__doc__ or "").partition("\n\n")[0]
    return " ".join(words.split()) or "No description available"


def schema_of(resource_type: ResourceType, with_description: bool) -> dict[str, Any]:
    """Return the schema of a type: its properties, attributes and support status."""
    document: dict[str, Any] = {
        "resource_type": resource_type.name,
        "properties": {
            name: _property(declared)
            for name, declared in resource_type.properties.items()
            if not declared.hidden
        },
        "attributes": {
            name: _attribute(resource_type, name, text) for name, text in _attributes(resource_type)
        },
        "support_status": _support(resource_type.support),
    }
    if with_description:
        document["description"] = description_of(resource_type)
    return document


def _attributes(resource_type: ResourceType) -> list[tuple[str, str]]:
    found = dict(resource_type.attributes)
    found[_SHOW] = found.pop(_SHOW, _SHOWN)
    return list(found.items())


def _attribute(resource_type: ResourceType, name: str, text: str) -> dict[str, Any]:
    shape: dict[str, Any] = {"description": text}
    value = resource_type.attribute_kinds.get(name, PropertyKind.MAP if name == _SHOW else None)
    if value is not None:
        shape["type"] = value.value
    return shape


def _support(support: Support) -> dict[str, Any]:
    return {
        "status": support.status.value,
        "message": support.message,
        "version": support.version,
        "previous_status": None if support.previous is None else _support(support.previous),
    }


def _property(declared: Property) -> dict[str, Any]:
    shape: dict[str, Any] = {
        "type": declared.kind.value,
        "required": declared.required,
        "update_allowed": declared.updatable,
        "immutable": declared.immutable,
    }
    if declared.description:
        shape["description"] = declared.description
    if declared.default is not None:
        shape["default"] = declared.default
    if declared.constraints:
        shape["constraints"] = [constraint.as_data() for constraint in declared.constraints]
    if declared.items is not None:
        shape["schema"] = {"*": _property(declared.items)}
    elif declared.schema:
        shape["schema"] = {name: _property(inner) for name, inner in declared.schema.items()}
    return shape


def hot_template(resource_type: ResourceType) -> dict[str, Any]:
    """Return a HOT template with one resource of a type, every property a parameter."""
    resource = _resource_name(resource_type)
    parameters = {}
    for name, declared in _documented(resource_type).items():
        parameters[name] = {"type": _hot_type(declared), **_common(declared, "default")}
        if declared.description:
            parameters[name]["description"] = declared.description
        constraints = [constraint.as_data() for constraint in _for_parameter(declared)]
        if constraints:
            parameters[name]["constraints"] = constraints
    outputs: dict[str, Any] = {
        name: {"value": {"get_attr": [resource, name]}, "description": text}
        for name, text in _attributes(resource_type)
    }
    outputs["OS::stack_id"] = {"value": {"get_resource": resource}}
    return {
        "heat_template_version": "2016-10-14",
        "description": f"Initial template of {resource}",
        "parameters": parameters,
        "resources": {
            resource: {
                "type": resource_type.name,
                "properties": {name: {"get_param": name} for name in parameters},
            }
        },
        "outputs": outputs,
    }


def cfn_template(resource_type: ResourceType) -> dict[str, Any]:
    """Return the same in the language of CloudFormation."""
    resource = _resource_name(resource_type)
    parameters = {}
    for name, declared in _documented(resource_type).items():
        parameters[name] = {
            "Type": CFN_TYPES[_hot_type(declared)],
            **_common(declared, "Default"),
            **cfn_constraints(_for_parameter(declared)),
        }
        if declared.description:
            parameters[name]["Description"] = declared.description
    outputs: dict[str, Any] = {
        name: {"Value": {"Fn::GetAtt": [resource, name]}, "Description": text}
        for name, text in _attributes(resource_type)
    }
    outputs["OS::stack_id"] = {"Value": {"Ref": resource}}
    return {
        "HeatTemplateFormatVersion": "2012-12-12",
        "Description": f"Initial template of {resource}",
        "Parameters": parameters,
        "Resources": {
            resource: {
                "Type": resource_type.name,
                "Properties": {name: {"Ref": name} for name in parameters},
            }
        },
        "Outputs": outputs,
    }


def cfn_constraints(constraints: tuple[Constraint, ...]) -> dict[str, Any]:
    """Return constraints as keys of a parameter in the language of CloudFormation."""
    keys: dict[str, Any] = {}
    for constraint in constraints:
        body: Any = constraint.definition()
        match constraint.name:
            case "length":
                keys |= _renamed(body, {"min": "MinLength", "max": "MaxLength"})
            case "range":
                keys |= _renamed(body, {"min": "MinValue", "max": "MaxValue"})
            case "modulo":
                keys |= _renamed(body, {"step": "Step", "offset": "Offset"})
            case "allowed_values":
                keys["AllowedValues"] = body
            case "allowed_pattern":
                keys["AllowedPattern"] = body
            case "custom_constraint":
                keys["CustomConstraint"] = body
    descriptions = [constraint.description for constraint in constraints if constraint.description]
    if descriptions:
        keys["ConstraintDescription"] = " ".join(descriptions)
    return keys


def _renamed(body: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {names[key]: value for key, value in body.items()}


def _resource_name(resource_type: ResourceType) -> str:
    name = resource_type.name.rpartition("::")[2]
    return f"{name}Resource" if name in resource_type.properties else name


def _documented(resource_type: ResourceType) -> dict[str, Property]:
    return {name: item for name, item in resource_type.properties.items() if not item.hidden}


def _hot_type(declared: Property) -> str:
    # A text with commas could not hold items that are maps.
    items = None if declared.items is None else declared.items.kind
    if items in (PropertyKind.MAP, PropertyKind.LIST, PropertyKind.ANY):
        return "json"
    return _HOT_TYPES[declared.kind]


def _common(declared: Property, default: str) -> dict[str, Any]:
    return {} if declared.default is None else {default: declared.default}


def _for_parameter(declared: Property) -> tuple[Constraint, ...]:
    """Return the constraints that a parameter can have as well; a service's own it cannot."""
    parameter_type = _hot_type(declared)
    return tuple(
        constraint
        for constraint in declared.constraints
        if constraint.name != "custom_constraint"
        and any(fitting.value == parameter_type for fitting in constraint.fits)
    )
