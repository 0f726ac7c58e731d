"""The registry answers as Heat's does, and better where Heat's answer helps nobody."""

import json
from pathlib import Path
from typing import Any

import pytest

from hotplate.document import InvalidDocument, from_data
from hotplate.document import parse as read
from hotplate.environment import (
    EntryKind,
    Environment,
    Hook,
    Registry,
    RestrictedAction,
    merge,
    parse,
)
from tests.unit.environment.record_registry import PLUGINS, SERVER

RECORDED = json.loads(Path(__file__).with_name("registry.json").read_text())


def environment(*registries: Any, server: Any = None) -> Environment:
    files = [
        parse(read(json.dumps({"resource_registry": registry}), f"{i}.yaml"))
        for i, registry in enumerate(registries)
    ]
    return merge(files, server=environment(server) if server else None)


def registry(*registries: Any, server: Any = None) -> Registry:
    return environment(*registries, server=server).registry


def answer(found: Registry, resource_type: str, name: str | None) -> str:
    resolution = found.lookup(resource_type, name, PLUGINS.__contains__)
    if resolution.template or resolution.type in PLUGINS:
        return resolution.template or resolution.type
    return "EntityNotFound"


@pytest.mark.parametrize("case", RECORDED["cases"], ids=lambda case: json.dumps(case["registry"]))
def test_lookups_hooks_and_children_are_those_of_heat(case: Any) -> None:
    parent = environment(case["registry"], server=SERVER)
    for resource_type, answers in case["lookups"].items():
        ours = [answer(parent.registry, resource_type, name) for name in RECORDED["names"]]
        assert (resource_type, ours) == (resource_type, answers)
    for name, (hooks, actions) in case["settings"].items():
        assert {hook.value for hook in parent.registry.hooks(name)} == set(hooks)
        restricted = parent.registry.restricted_actions(name)
        assert sorted(action.value for action in restricted) == actions
    child = parent.registry.child(case["owner"])
    for resource_type, theirs in case["child"].items():
        assert (resource_type, answer(child, resource_type, "s")) == (resource_type, theirs)


@pytest.mark.parametrize("case", RECORDED["different"], ids=lambda case: case["why"])
def test_where_heat_surprises_we_differ(case: Any) -> None:
    assert case["ours"] != case["heat"]
    found = registry(case["registry"])
    if case["ours"] == "problem":
        with pytest.raises(InvalidDocument, match="circle"):
            found.lookup(case["type"])
    else:
        resolution = found.lookup(case["type"], None, PLUGINS.__contains__)
        assert (resolution.template or resolution.type) == case["ours"]


def test_a_type_without_an_entry_stands_for_itself() -> None:
    resolution = registry({}).lookup("My::Type")
    assert (resolution.type, resolution.template, resolution.chain) == ("My::Type", None, ())


def test_a_type_that_is_a_template_file_needs_no_entry() -> None:
    assert registry({"x*": "X::Y"}).lookup("x.yaml").template == "x.yaml"


def test_the_chain_tells_which_entries_led_to_the_template() -> None:
    found = registry({"A::*": "B::*"}, {"B::C": "c.yaml"}).lookup("A::C")
    assert (found.type, found.template) == ("B::C", "c.yaml")
    assert [(e.name, e.kind, e.origin.file) for e in found.chain] == [
        ("A::*", EntryKind.WILDCARD, "0.yaml"),
        ("B::C", EntryKind.TEMPLATE, "1.yaml"),
    ]


def test_an_entry_for_the_resource_comes_before_one_for_the_type() -> None:
    found = registry({"A": "a.yaml", "resources": {"web": {"A": "web.yaml"}}})
    assert found.lookup("A", "web").template == "web.yaml"
    assert found.lookup("A", "db").template == "a.yaml"


def test_entries_of_the_user_come_before_those_of_the_server() -> None:
    server = {"A": "server.yaml", "resources": {"web": {"B": "server.yaml"}}, "C": "A"}
    found = registry({"A": "user.yaml", "B": "user.yaml"}, server=server)
    assert found.lookup("A").template == "user.yaml"
    assert found.lookup("B", "web").template == "user.yaml"
    through_server = found.lookup("C")
    assert through_server.template == "server.yaml"
    assert [entry.is_servers for entry in through_server.chain] == [True, True]


def test_a_null_in_a_later_file_removes_an_earlier_entry() -> None:
    assert registry({"A": "a.yaml"}, {"A": None}).lookup("A").template is None


def test_a_wildcard_null_removes_what_was_given_before_it_and_nothing_after() -> None:
    first, null, again = {"A::B": "old.yaml", "A::C": "c.yaml"}, {"A::*": None}, {"A::B": "b.yaml"}
    assert registry(first, null).lookup("A::B").template is None
    assert registry(first, null, again).lookup("A::B").template == "b.yaml"
    assert registry(first, null, again).lookup("A::C").template is None
    assert registry({"A::*": "X::*"}, first, null).lookup("A::C").template is None


@pytest.mark.parametrize(
    "entries", [{"A*": "AA*"}, {"A::*": "B::*", "B::*": "A::*"}, {"A::X": "A::Y", "A::Y": "A::X"}]
)
def test_entries_that_lead_nowhere_are_a_problem_with_a_place(entries: Any) -> None:
    with pytest.raises(InvalidDocument, match=r"0\.yaml:1:\d+: resource_registry"):
        registry(entries).lookup("A::X")


def test_a_lookup_is_bounded_whatever_the_wildcards() -> None:
    entries = {}
    for level in range(45):
        for letter in "ab":
            entries[f"T{level}::{letter}*"] = f"T{level + 1}::{letter}*"
        entries[f"T{level}::*"] = f"T{level + 1}::b*"
    with pytest.raises(InvalidDocument, match="nowhere"):
        registry(entries).lookup("T0::a", None, lambda _: False)


TREE = {
    "Group": "group.yaml",
    "resources": {
        "*": {"member": {"hooks": "pre-create"}, "hooks": "post-create"},
        "group": {
            "Leaf": "other.yaml",
            "member": {
                "hooks": ["pre-update"],
                "Leaf": "leaf.yaml",
                "deep": {"hooks": "pre-delete"},
            },
            "*_db": {"restricted_actions": "replace"},
        },
    },
}


def test_hooks_and_restrictions_of_all_matching_names_count() -> None:
    found = registry({"resources": {"*": {"hooks": "pre-create"}, "a": {"hooks": "pre-update"}}})
    assert found.hooks("a") == {Hook.PRE_CREATE, Hook.PRE_UPDATE}
    assert found.hooks("b") == {Hook.PRE_CREATE}
    assert found.restricted_actions("a") == frozenset()


def test_inside_a_resource_only_its_part_of_the_tree_holds() -> None:
    parent = environment(TREE)
    child = parent.child("group", "Group")
    assert child.registry.hooks("member") == {Hook.PRE_CREATE, Hook.PRE_UPDATE}
    assert child.registry.hooks("other") == frozenset()
    assert child.registry.restricted_actions("my_db") == {RestrictedAction.REPLACE}
    assert child.registry.lookup("Leaf", "member").template == "leaf.yaml"
    assert child.registry.lookup("Leaf", "group").template is None
    assert child.child("member", "x.yaml").registry.hooks("deep") == {Hook.PRE_DELETE}


def test_values_of_a_child_keep_their_origins() -> None:
    child = environment(TREE).child("group", "Group")
    hooks = child.origin(("resource_registry", "resources", "member", "hooks"))
    assert hooks is not None
    assert [g.path[2] for g in hooks.contributors] == ["group", "*"]


def test_the_type_that_a_template_implements_is_itself_inside_the_template() -> None:
    parent = environment({"OS::Nova::Server": "server.yaml", "Alias": "OS::Nova::Server"})
    for resource_type in ("OS::Nova::Server", "Alias"):
        child = parent.child("web", resource_type)
        assert child.registry.lookup("OS::Nova::Server").template is None
        assert child.registry.lookup("Alias").type == "OS::Nova::Server"


def test_a_child_inherits_defaults_and_sinks_but_not_parameters() -> None:
    data = {
        "parameters": {"p": 1},
        "parameter_defaults": {"d": 1},
        "event_sinks": [{"type": "zaqar-queue", "target": "q"}],
        "encrypted_param_names": ["p"],
    }
    parent = merge([parse(read(json.dumps(data), "env.yaml"))])
    child = parent.child("web", "web.yaml", from_data({"size": 2}, "properties of web"))
    assert child.data() == {
        "parameters": {"size": 2},
        "parameter_defaults": {"d": 1},
        "resource_registry": {},
        "event_sinks": data["event_sinks"],
        "encrypted_param_names": [],
    }
    size = child.origin(("parameters", "size"))
    assert size is not None
    assert size.file == "properties of web"


@pytest.mark.parametrize("pattern", ["[z-a]", "[", "*a" * 200 + "b", "[!", "?" * 1000])
def test_strange_patterns_do_no_harm(pattern: str) -> None:
    found = registry({"resources": {pattern: {"hooks": "pre-create"}}})
    assert found.hooks("a" * 255) == frozenset()
    assert found.child("a" * 255).hooks("x") == frozenset()
