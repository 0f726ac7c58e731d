"""The types are declared as Heat declares them, but for differences that were decided.

The declarations of Heat are facts that this repository does not have: HOTPLATE_HEAT_TYPES names the
file. Where it is absent, only what needs no file is checked.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from hotplate.resources.catalogue import Catalogue, installed
from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.support import SupportStatus
from tests.unit.heat_type_differences import DECIDED

FILE = os.environ.get("HOTPLATE_HEAT_TYPES", "")
PREFIXES = ("OS::Nova::", "OS::Neutron::", "OS::Cinder::", "OS::Glance::")
KINDS = {kind.value.title(): kind for kind in PropertyKind}
CATALOGUE: Catalogue = installed()
OURS = [name for name in CATALOGUE if name.startswith(PREFIXES)]


def known() -> Mapping[str, Any]:
    if not FILE:
        pytest.skip("HOTPLATE_HEAT_TYPES names no file with Heat's declarations")
    found: Mapping[str, Any] = json.loads(Path(FILE).read_text())
    return found


def constraints_of(declared: Property) -> dict[str, Any]:
    return {each.name: each.definition() for each in declared.constraints}


def heat_constraints(said: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for each in said.get("constraints", ()):
        match each["kind"]:
            case "AllowedValues":
                found["allowed_values"] = each["allowed"]
            case "CustomConstraint":
                found["custom_constraint"] = each["name"]
            case "Range" | "Length":
                bounds = {key: each[key] for key in ("min", "max") if each.get(key) is not None}
                found[each["kind"].lower()] = bounds
            case "AllowedPattern":
                found["allowed_pattern"] = each["pattern"]
            case "Modulo":
                found["modulo"] = {key: each[key] for key in ("step", "offset")}
    return found


def compared(path: str, said: Mapping[str, Any], ours: Property | None) -> Iterator[str]:
    if ours is None:
        yield f"{path}: missing"
        return
    kind = said["type"]
    if ours.kind is not KINDS[kind]:
        yield f"{path}: kind is {ours.kind.value}, not {kind}"
    facts = {
        "required": (ours.required, said.get("required", False)),
        "updatable": (ours.updatable, said.get("update_allowed", False)),
        "immutable": (ours.immutable, said.get("immutable", False)),
        "hidden": (ours.hidden, said.get("status") == "HIDDEN"),
        "default": (ours.default, said.get("default")),
        "constraints": (constraints_of(ours), heat_constraints(said)),
    }
    # What is said of a map inside holds for the property it is in.
    inside = "." in path.replace("[]", ".")
    for fact, (mine, theirs) in facts.items():
        if mine != theirs and not (inside and fact in ("updatable", "immutable")):
            yield f"{path}: {fact} is {mine!r}, not {theirs!r}"
    inner = said.get("schema", {})
    if set(inner) == {"*"}:
        if ours.items is not None or set(inner["*"]) - {"type"}:
            yield from compared(f"{path}[]", inner["*"], ours.items)
    else:
        for key, below in inner.items():
            yield from compared(f"{path}.{key}", below, ours.schema.get(key))
        for key in set(ours.schema) - set(inner):
            yield f"{path}.{key}: Heat has none"


def differences(name: str) -> Iterator[str]:
    ours = CATALOGUE.get(name)
    if ours.support.status is SupportStatus.HIDDEN and name not in known():
        return  # Heat does not show it either
    said = known()[name]
    for key, declared in said["properties"].items():
        yield from compared(key, declared, ours.properties.get(key))
    for key in set(ours.properties) - set(said["properties"]):
        yield f"{key}: Heat has none"
    theirs = set(said.get("attributes", ())) - {"show"}
    for key in theirs ^ (set(ours.attributes) - {"show"}):
        yield f"attribute {key}: {'missing' if key in theirs else 'Heat has none'}"


@pytest.mark.parametrize("name", OURS)
def test_a_type_is_declared_as_in_heat(name: str) -> None:
    found = sorted(differences(name))
    assert found == sorted(DECIDED.get(name, {})), "decide each, or mend it"


@pytest.mark.parametrize("name", OURS)
def test_a_type_describes_itself(name: str) -> None:
    ours = CATALOGUE.get(name)
    assert all(each.description for each in ours.properties.values())
    assert all(ours.attributes.values())


def test_decided_differences_are_of_types_that_exist() -> None:
    assert set(DECIDED) <= set(OURS)
    assert all(reason for decided in DECIDED.values() for reason in decided.values())
