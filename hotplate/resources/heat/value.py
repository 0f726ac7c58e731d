"""OS::Heat::Value."""

from typing import Any

from hotplate.resources.property import BadProperty, Property, PropertyKind
from hotplate.resources.resource_type import Creation, Done, Resource, ResourceType, Result
from hotplate.template.constraint import AllowedValues
from hotplate.template.parameter_type import ParameterType
from hotplate.template.value import BadValue, convert


class Value(ResourceType):
    """Holds a value, so that others can refer to it."""

    name = "OS::Heat::Value"
    creation = Creation.REPEATABLE
    instant = True
    properties = {
        "value": Property(PropertyKind.ANY, required=True, updatable=True),
        "type": Property(
            updatable=True,
            constraints=(AllowedValues(tuple(kind.value for kind in ParameterType)),),
        ),
    }
    attributes = {"value": "the value"}

    async def create(self, resource: Resource) -> Result:
        return Done(resource.physical_name, attributes={"value": _converted(resource.properties)})

    async def update(self, resource: Resource) -> Result:
        return Done(attributes={"value": _converted(resource.properties)})

    def validate(self, properties: Any) -> str:
        try:
            _converted(properties)
        except BadProperty as fault:
            return fault.message
        return ""


def _converted(properties: Any) -> Any:
    kind = properties["type"]
    if kind is None:
        return properties["value"]
    try:
        return convert(ParameterType(kind), properties["value"])
    except BadValue as fault:
        raise BadProperty(str(fault), ("value",)) from None
