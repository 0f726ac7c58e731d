"""What a resource whose stack has numbered members tells of them."""

import json
from collections.abc import Iterable
from typing import Any

from hotplate.document import Data
from hotplate.resources.heat.provider_template import (
    asked_of_single_members,
    attribute_at,
    member_attributes,
)
from hotplate.resources.resource_type import Child

_OWN = ("refs", "refs_map", "removed_rsrc_list", "show")


def in_order(names: Iterable[str]) -> list[str]:
    """Return names of members by their numbers."""
    return sorted(names, key=lambda name: (len(name), name))


def asked_of_group(wanted: Iterable[tuple[Data, ...]]) -> dict[str, list[list[Data]]]:
    """Return what a group is asked for of its members, by name and of all of them."""
    paths = [path for path in wanted if path]
    found = asked_of_single_members(paths)
    of_all: dict[str, list[Data]] = {}
    for path in paths:
        steps = _of_all(path)
        if steps:
            of_all[json.dumps(steps)] = steps
    return {"*": [of_all[key] for key in sorted(of_all)], **found} if of_all else found


def _of_all(path: tuple[Data, ...]) -> list[Data]:
    """Return the way into every member that a path asks for; empty if it does not."""
    first = str(path[0])
    if first.startswith("resource.") or first in _OWN:
        return []
    return list(path[1:] if first == "attributes" else path)


def group_attributes(child: Child, wanted: Iterable[tuple[Data, ...]]) -> dict[str, Data]:
    """Return the attributes of a group: references, and what was asked for of the members.

    ``attributes`` with a path gives its value for each member by name, ``resource.<name>`` is
    about one member, and any other name gives a list over all members.
    """
    paths = [path for path in wanted if path]
    names = in_order(child.members)
    references: dict[str, Data] = {name: child.members[name].reference for name in names}
    found = member_attributes(child, paths)
    found["refs"] = list(references.values())
    found["refs_map"] = references
    for path in paths:
        steps = _of_all(path)
        if not steps:
            continue
        values: dict[str, Any] = {
            name: attribute_at(child.members[name].attributes, steps) for name in names
        }
        by_name = path[0] == "attributes"
        found[json.dumps(list(path))] = values if by_name else list(values.values())
    return found
