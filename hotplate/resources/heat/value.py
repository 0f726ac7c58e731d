"""OS::Heat::Value."""

from collections.abc import Mapping
from typing import Any

from hotplate.document import Data
from hotplate.resources.capabilities import Adoptable
from hotplate.resources.property import BadProperty, Property, PropertyKind
from hotplate.resources.resource_type import Creation, Done, Resource, Result
from hotplate.resources.support import Support
from hotplate.template.constraint import AllowedValues
from hotplate.template.errors import kind_of
from hotplate.template.parameter_type import ParameterType

_KINDS = {
    ParameterType.STRING: PropertyKind.STRING,
    ParameterType.NUMBER: PropertyKind.NUMBER,
    ParameterType.LIST: PropertyKind.LIST,
    ParameterType.JSON: PropertyKind.MAP,
    ParameterType.BOOLEAN: PropertyKind.BOOLEAN,
}


class Value(Adoptable):
    """Holds a value, so that others can refer to it.

    ``type`` says what the value must be; it is not converted, others get it as it was given.
    """

    name = "OS::Heat::Value"
    support = Support(version="7.0.0")
    creation = Creation.REPEATABLE
    instant = True
    properties = {
        "value": Property(PropertyKind.ANY, required=True, updatable=True),
        "type": Property(
            updatable=True,
            constraints=(AllowedValues(tuple(kind.value for kind in _KINDS)),),
            description="what the value must be",
        ),
    }
    attributes = {"value": "the value"}

    def convert(self, given: Mapping[str, Any]) -> dict[str, Any]:
        values = super().convert(given)
        if values["type"] is not None and values["value"] is not None:
            _check(ParameterType(values["type"]), values["value"])
        return values

    async def create(self, resource: Resource) -> Result:
        return Done(resource.physical_name, attributes={"value": resource.properties["value"]})

    async def adopt(self, resource: Resource) -> Result:
        return await self.update(resource)

    async def update(self, resource: Resource) -> Result:
        return Done(attributes={"value": resource.properties["value"]})


def _check(kind: ParameterType, value: Data) -> None:
    if kind is ParameterType.STRING and isinstance(value, float):
        raise BadProperty(f"must be a text, not {kind_of(value)}", ("value",))
    Property(_KINDS[kind]).convert(value, ("value",))
