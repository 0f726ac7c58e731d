"""A template file in place of a resource type."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from hotplate.document import Data
from hotplate.resources.capabilities import NestedStack
from hotplate.resources.catalogue import Catalogue
from hotplate.resources.heat.none import ANY_PROPERTIES
from hotplate.resources.resource_type import Child, ResourceType
from hotplate.template import NoValue

_ENDINGS = (".yaml", ".template")


def is_template_file(type_name: str) -> bool:
    """Tell whether what stands for a type is a template file."""
    return type_name.endswith(_ENDINGS)


class ProviderTemplate(NestedStack):
    """The resource is a stack made from the file; its properties are the stack's parameters."""

    name = "a template file"
    properties = ANY_PROPERTIES

    def child_attributes(
        self, properties: Mapping[str, Any], child: Child, wanted: Iterable[tuple[Data, ...]]
    ) -> dict[str, Data]:
        return {**child.outputs, **member_attributes(child, wanted)}

    def asked_of_members(self, wanted: Iterable[tuple[Data, ...]]) -> dict[str, list[list[Data]]]:
        return asked_of_single_members(wanted)


_PROVIDER = ProviderTemplate()


def resource_type_for(catalogue: Catalogue, type_name: str) -> ResourceType:
    """Return the code of a type, or what stands for any template file. Raises UnknownType."""
    return _PROVIDER if is_template_file(type_name) else catalogue.get(type_name)


def member_attributes(child: Child, wanted: Iterable[tuple[Data, ...]]) -> dict[str, Data]:
    """Return what was asked for of single members: ``resource.<name>`` and an attribute of it."""
    found: dict[str, Data] = {}
    for path in wanted:
        first = str(path[0]) if path else ""
        if not first.startswith("resource."):
            continue
        name, _, dotted = first.removeprefix("resource.").partition(".")
        member = child.members.get(name)
        steps = [*([dotted] if dotted else []), *path[1:]]
        value: Data = None
        if member is not None:
            value = attribute_at(member.attributes, steps) if steps else member.reference
        found[json.dumps(list(path))] = value
    return found


def asked_of_single_members(wanted: Iterable[tuple[Data, ...]]) -> dict[str, list[list[Data]]]:
    """Return what is asked for as ``resource.<name>``, by name and without doubles."""
    found: dict[str, dict[str, list[Data]]] = {}
    for path in wanted:
        first = str(path[0]) if path else ""
        if first.startswith("resource."):
            name, _, dotted = first.removeprefix("resource.").partition(".")
            steps = [*([dotted] if dotted else []), *path[1:]]
            if steps:
                found.setdefault(name, {})[json.dumps(steps)] = steps
    return {name: [paths[key] for key in sorted(paths)] for name, paths in sorted(found.items())}


def attribute_at(attributes: Mapping[Any, Data | NoValue], steps: list[Data]) -> Any:
    """Return what the steps lead to, null if that is nowhere."""
    if all(isinstance(step, str | int) for step in steps) and tuple(steps) in attributes:
        return attributes[tuple(steps)]
    value: Any = attributes.get(steps[0])
    if isinstance(value, NoValue):
        return value
    for step in steps[1:]:
        try:
            value = value[step]
        except (LookupError, TypeError):
            return None
    return value
