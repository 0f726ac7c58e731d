"""Where live values differ from those that were applied."""

from typing import Any

import pytest

from hotplate.plan.drift import can_be_compared, differences, drifted
from hotplate.resources.capabilities import Adoptable
from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.resource_type import ResourceType


class Server(Adoptable):
    """A type with properties of all kinds."""

    name = "Test::Server"
    properties = {
        "name": Property(),
        "size": Property(PropertyKind.INTEGER, default=1),
        "labels": Property(PropertyKind.MAP, default={}),
        "tags": Property(PropertyKind.LIST, default=[]),
        "networks": Property(
            PropertyKind.LIST,
            items=Property(PropertyKind.MAP, schema={"network": Property(), "port": Property()}),
        ),
    }


class Instant(Adoptable):
    """A type that calls no provider."""

    name = "Test::Instant"
    instant = True


def found(applied: dict[str, Any], live: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    server = Server()
    return [
        (each.path, each.applied, each.live)
        for each in differences(server, server.convert(applied), live)
    ]


@pytest.mark.parametrize(
    ("applied", "live"),
    [
        ({}, {"name": "made-up"}),
        ({"name": "web"}, {}),
        ({"size": "2"}, {"size": 2}),
        ({"size": 2}, {"size": "2"}),
        ({"tags": []}, {"tags": None}),
        ({"name": ""}, {"name": None}),
        ({"networks": [{"network": "n"}]}, {"networks": [{"network": "n", "port": "p"}]}),
        ({"name": "web"}, {"name": "web", "unheard_of": 1}),
    ],
)
def test_what_is_left_open_unknown_or_only_written_otherwise_does_not_differ(
    applied: dict[str, Any], live: dict[str, Any]
) -> None:
    assert found(applied, live) == []


@pytest.mark.parametrize(
    ("applied", "live", "expected"),
    [
        ({"name": "web"}, {"name": "db"}, [("name", "web", "db")]),
        ({"name": "web"}, {"name": None}, [("name", "web", None)]),
        ({}, {"size": 2}, [("size", 1, 2)]),
        ({"size": 1}, {"size": "many"}, [("size", 1, "many")]),
        (
            {"labels": {"a": "1", "b": "2"}},
            {"labels": {"a": "0", "c": "3"}},
            [("labels.a", "1", "0"), ("labels.b", "2", None), ("labels.c", None, "3")],
        ),
        ({"tags": ["a", "b"]}, {"tags": ["a", "c"]}, [("tags.1", "b", "c")]),
        ({"tags": ["a"]}, {"tags": ["a", "c"]}, [("tags", ["a"], ["a", "c"])]),
        (
            {"networks": [{"network": "n"}]},
            {"networks": [{"network": "m", "port": "p"}]},
            [("networks.0.network", "n", "m")],
        ),
    ],
)
def test_each_value_that_differs_has_its_path(
    applied: dict[str, Any], live: dict[str, Any], expected: list[tuple[str, Any, Any]]
) -> None:
    assert found(applied, live) == expected


def test_a_property_with_a_difference_in_it_has_its_live_value() -> None:
    server, live = Server(), {"name": "web", "labels": {"a": "0"}}
    values = differences(server, server.convert({"name": "web", "labels": {"a": "1"}}), live)
    assert drifted(values, live) == {"labels": {"a": "0"}}


def test_only_a_type_that_asks_its_provider_can_be_compared() -> None:
    assert can_be_compared(Server())
    assert not can_be_compared(Instant())
    assert not can_be_compared(ResourceType())
