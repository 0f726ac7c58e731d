"""Twin of hotplate.plan.implicit_dependencies: the graph with what the types add to it."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import RecipeBook, StackFacts
from hotplate.graph import Graph
from hotplate.resources import Catalogue, ResourceType
from hotplate.resources.capabilities import DependsImplicitly, SameValue
from hotplate.resources.heat.none import NoneType
from hotplate.resources.written_stack import WrittenResource, WrittenStack

SUBNET = "Test::Subnet"


class Subnet(ResourceType):
    name = SUBNET


class Port(DependsImplicitly):
    name = "Test::Port"
    waits_for = (SameValue(SUBNET, "network|network_id", "network|network_id"),)


class Broken(DependsImplicitly):
    name = "Test::Broken"

    def implicit_requirements(self, own: WrittenResource, stack: WrittenStack) -> Iterator[str]:
        yield "subnet"
        raise ZeroDivisionError


class Boundless(DependsImplicitly):
    name = "Test::Boundless"
    waits_for = (lambda own, stack: [own.name, "nowhere", "subnet"],)


CATALOGUE = Catalogue([Subnet(), Port(), Broken(), Boundless(), NoneType()])


def graph(
    resources: dict[str, dict[str, Any]], registry: dict[str, Any] | None = None, **more: Any
) -> Graph[str]:
    template = {"heat_template_version": "wallaby", "resources": resources, **more}
    environment = json.dumps({"resource_registry": registry or {}})
    files = {"port.yaml": "heat_template_version: wallaby"}
    recipe = Recipe(json.dumps(template), files, environment=environment)
    return (
        RecipeBook(CATALOGUE)
        .bind(StackFacts("id", "name", "project"), recipe, "digest")
        .template.graph
    )


def port(network: Any = "net", type_name: str = "Test::Port", **more: Any) -> dict[str, Any]:
    return {"type": type_name, "properties": {"network": network}, **more}


def subnet(network: Any = "net", **more: Any) -> dict[str, Any]:
    return port(network, SUBNET, **more)


def test_a_port_waits_for_the_subnets_of_its_network() -> None:
    found = graph({"port": port(), "subnet": subnet(), "other": subnet("elsewhere")})
    assert found.requires("port") == ("subnet",)
    assert found.required_by("subnet") == ("port",)
    assert found.order() == ("subnet", "port", "other")


def test_equal_references_are_equal() -> None:
    net = {"get_resource": "net"}
    found = graph(
        {
            "port": port(net),
            "subnet": subnet(net),
            "other": subnet({"get_resource": "another"}),
            "literal": subnet("net"),
            "net": {"type": "OS::Heat::None"},
            "another": {"type": "OS::Heat::None"},
        }
    )
    assert found.requires("port") == ("subnet", "net")


def test_unknown_on_either_side_is_waited_for() -> None:
    unknown = {"get_attr": ["net", "id"]}
    net = {"type": "OS::Heat::None"}
    found = graph({"port": port(), "subnet": subnet(unknown), "net": net})
    assert found.requires("port") == ("subnet",)
    found = graph({"port": port(unknown), "subnet": subnet(), "net": net})
    assert found.requires("port") == ("subnet", "net")


def test_parameters_are_known() -> None:
    parameters = {"net": {"type": "string", "default": "net"}}
    found = graph(
        {"port": port({"get_param": "net"}), "subnet": subnet(), "other": subnet("elsewhere")},
        parameters=parameters,
    )
    assert found.requires("port") == ("subnet",)


def test_aliases_count_as_the_type_that_they_stand_for() -> None:
    registry = {"Old::*": "Test::*", "resources": {"mine": {"My::Own": SUBNET}}}
    found = graph(
        {
            "port": port("net", "Old::Port"),
            "subnet": port("net", "Old::Subnet"),
            "mine": port("net", "My::Own"),
            "other": port("net", "My::Own"),
        },
        registry,
    )
    assert found.requires("port") == ("subnet", "mine")


@pytest.mark.parametrize("target", ["OS::Heat::None", "port.yaml"])
def test_what_the_registry_makes_something_else_does_not_count(target: str) -> None:
    resources = {"port": port(), "subnet": subnet()}
    assert graph(resources, {SUBNET: target}).requires("port") == ()
    assert graph(resources, {"Test::Port": target}).requires("port") == ()


def test_what_a_condition_switches_off_does_not_count() -> None:
    found = graph(
        {"port": port(), "subnet": subnet(condition="no"), "other": subnet(condition="yes")},
        conditions={"no": False, "yes": True},
    )
    assert found.requires("port") == ("other",)


def test_what_would_close_a_cycle_is_left_out() -> None:
    found = graph(
        {
            "port": port(),
            "server": {"type": "OS::Heat::None", "depends_on": "port"},
            "late": subnet(depends_on="server"),
            "subnet": subnet(),
        }
    )
    assert found.requires("port") == ("subnet",)
    assert found.requires("late") == ("server",)
    assert found.reverse_order() == ("late", "server", "port", "subnet")


def test_a_type_that_fails_here_adds_nothing(caplog: pytest.LogCaptureFixture) -> None:
    found = graph({"broken": port("net", "Test::Broken"), "port": port(), "subnet": subnet()})
    assert found.requires("broken") == ()
    assert found.requires("port") == ("subnet",)
    assert "a type cannot tell what its resource waits for" in caplog.text


def test_only_other_resources_of_the_stack_are_waited_for() -> None:
    found = graph({"own": port("net", "Test::Boundless"), "subnet": subnet()})
    assert found.requires("own") == ("subnet",)


def test_entries_that_lead_in_a_circle_are_for_others_to_tell() -> None:
    registry = {"One::Type": "Other::Type", "Other::Type": "One::Type"}
    found = graph({"a": {"type": "One::Type"}, "port": port(), "subnet": subnet()}, registry)
    assert found.requires("port") == ("subnet",)


class Counting(Catalogue):
    """Tells which types were asked for."""

    def __init__(self) -> None:
        super().__init__([Subnet(), Port(), NoneType()])
        self.asked: list[str] = []

    def get(self, name: str) -> ResourceType:
        self.asked.append(name)
        return super().get(name)


def test_types_are_looked_at_when_the_graph_is_asked_for_and_no_others() -> None:
    catalogue = Counting()
    template = {"heat_template_version": "wallaby", "resources": {"subnet": subnet()}}
    recipe = Recipe(json.dumps(template))
    bound = RecipeBook(catalogue).bind(StackFacts("id", "name", "project"), recipe, "digest")
    assert catalogue.asked == []
    assert bound.template.graph is bound.template.explicit_graph
    assert catalogue.asked == [SUBNET]


def reads(count: int, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """How often a property is read, and how many edges there are, in so many networks."""
    read = 0
    original = WrittenResource._found

    def counted(self: WrittenResource, path: str) -> Iterator[Any]:
        nonlocal read
        read += 1
        return original(self, path)

    resources = {}
    for at in range(count):
        resources[f"port{at}"] = port(f"net{at}")
        resources[f"subnet{at}"] = subnet(f"net{at}")
    with monkeypatch.context() as patch:
        patch.setattr(WrittenResource, "_found", counted)
        found = graph(resources)
    return read, sum(len(found.requires(name)) for name in found)


def test_the_cost_grows_with_the_resources_and_not_with_their_pairs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert reads(50, monkeypatch) == (100, 50)
    assert reads(200, monkeypatch) == (400, 200)
