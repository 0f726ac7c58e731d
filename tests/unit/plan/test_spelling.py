"""The same object under another spelling is no change."""

from collections.abc import Mapping
from typing import Any

import pytest

from hotplate.plan.decide import Change
from hotplate.plan.spelling import NamedObject, NamedValue, Spellings, respelled, spellings
from hotplate.resources.capabilities import TakesNames


class Port(TakesNames):
    """Names a network, subnets and groups."""

    name = "Test::Port"
    named = {
        "network": "net",
        "fixed_ips[].subnet": "sub",
        "groups[]": "grp",
        "gateway.network": "net",
    }


PORT = Port()
IDS = {
    ("net", "n"): "1", ("net", "1"): "1", ("sub", "s"): "2", ("sub", "2"): "2",
    ("grp", "g"): "3", ("grp", "3"): "3", ("grp", "h"): "4",
}  # fmt: skip
OBJECTS = {NamedValue(*named): NamedObject(found) for named, found in IDS.items()}


def change(name: str, old: Any, new: Any) -> Change:
    return Change(name, old, new, in_place=False)


@pytest.mark.parametrize(
    ("name", "old", "new", "spelled"),
    [
        ("network", "n", "1", "1"),
        ("network", "1", "n", "n"),
        ("network", "n", "2", "n"),
        ("network", "gone", "1", "gone"),
        ("network", None, "1", None),
        ("network", "1", 1, 1),
        (
            "gateway",
            {"network": "n", "snat": True},
            {"network": "1"},
            {"network": "1", "snat": True},
        ),
        ("gateway", {}, {"network": "1"}, {}),
        ("gateway", None, {"network": "1"}, None),
        (
            "fixed_ips",
            [{"subnet": "s", "ip": "a"}],
            [{"subnet": "2"}],
            [{"subnet": "2", "ip": "a"}],
        ),
        (
            "fixed_ips",
            [{"ip": "a"}, {"subnet": "s"}],
            [{"subnet": "2"}],
            [{"ip": "a"}, {"subnet": "2"}],
        ),
        ("groups", ["g", "h"], ["h", "3"], ["3", "h"]),
        ("groups", ["g", "g"], ["g", "3"], ["g", "3"]),
        ("groups", ["g"], None, ["g"]),
    ],
)
def test_old_values_are_spelled_as_the_new_ones(
    name: str, old: Any, new: Any, spelled: Any
) -> None:
    assert respelled(PORT, {}, [change(name, old, new)], OBJECTS) == {name: spelled}


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("network", None, "1"),
        ("network", "n", None),
        ("network", "", "1"),
        ("label", "a", "b"),
        ("groups", ["g", "h"], ["h", "g"]),
        ("gateway", {"network": "n", "snat": True}, {"network": "n"}),
    ],
)
def test_nobody_is_asked_where_no_name_has_changed(name: str, old: Any, new: Any) -> None:
    assert spellings(PORT, {}, [change(name, old, new)]) == Spellings()


def test_all_values_of_a_list_are_asked_about_if_one_is_another() -> None:
    found = spellings(PORT, {}, [change("groups", ["g", "h"], ["3", "h"])])
    assert {each.value for each in found.old} == {"g", "h"}
    assert {each.value for each in found.new} == {"3", "h"}


def test_one_property_may_say_what_another_names() -> None:
    class Policy(TakesNames):
        def named_in(self, properties: Mapping[str, Any]) -> Mapping[str, str]:
            return {"object": properties["sort"]}

    found = spellings(Policy(), {"sort": "net"}, [change("object", "n", "1")])
    assert found.old == {NamedValue("net", "n")}
