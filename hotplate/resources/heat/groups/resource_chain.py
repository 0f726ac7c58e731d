"""OS::Heat::ResourceChain."""

from collections.abc import Iterable, Mapping
from typing import Any

from hotplate.document import Data
from hotplate.resources.capabilities import NestedStack
from hotplate.resources.heat.groups.members import asked_of_group, group_attributes
from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.resource_type import Child
from hotplate.resources.support import Support


class ResourceChain(NestedStack):
    """Resources of several types with the same properties, made one after the other."""

    name = "OS::Heat::ResourceChain"
    support = Support(version="6.0.0")
    properties = {
        "resources": Property(
            PropertyKind.LIST,
            required=True,
            updatable=True,
            description="types of the members, in the order in which they are made",
        ),
        "concurrent": Property(
            PropertyKind.BOOLEAN,
            default=False,
            description="whether the members are made at the same time",
        ),
        "resource_properties": Property(
            PropertyKind.MAP, description="properties that every member is given"
        ),
    }
    attributes = {
        "refs": "references of the members, in order",
        "attributes": "an attribute of every member, by name",
    }
    attribute_kinds = {"refs": PropertyKind.LIST, "attributes": PropertyKind.MAP}

    def child_template(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        members: dict[str, dict[str, Any]] = {}
        for index, type_name in enumerate(properties["resources"]):
            member: dict[str, Any] = {"type": type_name}
            if properties["resource_properties"]:
                member["properties"] = properties["resource_properties"]
            if index and not properties["concurrent"]:
                member["depends_on"] = str(index - 1)
            members[str(index)] = member
        return {"heat_template_version": "2021-04-16", "resources": members}

    def asked_of_members(self, wanted: Iterable[tuple[Data, ...]]) -> dict[str, list[list[Data]]]:
        return asked_of_group(wanted)

    def child_reference(self, child: Child) -> str:
        return child.id

    def child_attributes(
        self, properties: Mapping[str, Any], child: Child, wanted: Iterable[tuple[Data, ...]]
    ) -> dict[str, Data]:
        return group_attributes(child, wanted)
