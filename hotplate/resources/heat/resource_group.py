"""OS::Heat::ResourceGroup."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from hotplate.document import Data
from hotplate.resources.heat.provider_template import attribute_at, member_attributes
from hotplate.resources.property import BadProperty, Property, PropertyKind
from hotplate.resources.resource_type import Child, Creation, ResourceType
from hotplate.resources.support import Support
from hotplate.template.constraint import Length, Range

_MOST_MEMBERS = 100_000


class ResourceGroup(ResourceType):
    """A number of equal resources; the members are a stack of their own."""

    name = "OS::Heat::ResourceGroup"
    support = Support(version="2014.1")
    creation = Creation.REPEATABLE
    nested = True
    replace_when_failed = False
    properties = {
        "count": Property(
            PropertyKind.INTEGER, default=1, updatable=True, constraints=(Range(0, None),)
        ),
        "index_var": Property(default="%index%", constraints=(Length(3, None),)),
        "resource_def": Property(
            PropertyKind.MAP,
            required=True,
            updatable=True,
            schema={
                "type": Property(required=True),
                "properties": Property(PropertyKind.MAP),
                "metadata": Property(PropertyKind.MAP),
            },
        ),
    }
    attributes = {
        "refs": "references of the members, in order",
        "refs_map": "references of the members by name",
        "attributes": "an attribute of every member, by name",
    }
    attribute_kinds = {
        "refs": PropertyKind.LIST,
        "refs_map": PropertyKind.MAP,
        "attributes": PropertyKind.MAP,
    }

    def convert(self, given: Mapping[str, Any]) -> dict[str, Any]:
        values = super().convert(given)
        if values["count"] > _MOST_MEMBERS:
            raise BadProperty(
                f"a group has at most {_MOST_MEMBERS} members", ("count",), "use several groups"
            )
        return values

    def child_template(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        definition = {
            key: value for key, value in properties["resource_def"].items() if value is not None
        }
        text = json.dumps(definition)
        variable = json.dumps(properties["index_var"])[1:-1]
        return {
            "heat_template_version": "2021-04-16",
            "resources": {
                str(index): json.loads(text.replace(variable, str(index)))
                for index in range(properties["count"])
            },
        }

    def child_sample(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        return self.child_template({**properties, "count": min(1, properties["count"])})

    def child_attributes(
        self, properties: Mapping[str, Any], child: Child, wanted: Iterable[tuple[Data, ...]]
    ) -> dict[str, Data]:
        paths = list(wanted)
        names = sorted(child.members, key=lambda name: (len(name), name))
        references: dict[str, Data] = {name: child.members[name].reference for name in names}
        found = member_attributes(child, paths)
        found["refs"] = list(references.values())
        found["refs_map"] = references
        for path in paths:
            if not path or str(path[0]).startswith("resource.") or path[0] in ("refs", "refs_map"):
                continue
            steps = list(path[1:]) if path[0] == "attributes" else list(path)
            values = {
                name: attribute_at(child.members[name].attributes, steps) if steps else None
                for name in names
            }
            by_name = path[0] == "attributes"
            found[json.dumps(list(path))] = values if by_name else list(values.values())
        return found
