"""Environments to begin with, and what must hold whatever they say."""

# ruff: noqa: PT017 (no test, but what tests call: whatever is raised must explain itself)

import json
from typing import Any

from hotplate.document import InvalidDocument, from_data
from hotplate.document import parse as read
from hotplate.environment import EnvironmentFile, merge, parse, remainder
from hotplate.template import ParameterType

TEXTS = (
    "", "a", "b", "names", "parameters", "parameter_defaults", "parameter_merge_strategies",
    "resource_registry", "resources", "hooks", "restricted_actions", "base_url", "event_sinks",
    "encrypted_param_names", "default", "merge", "deep_merge", "overwrite", "OS::A", "OS::B",
    "OS::*", "OS::A*", "*", "A*", "a.yaml", "file:///b.yaml", "pre-create", "update", "replace",
    "1", "2.5", '{"a": [1], "b": {"c": 2}}', "[1, 2]", "x,y", "we*", "[a-", "[!z]", "**?", "true",
)  # fmt: skip
ENVIRONMENTS: tuple[Any, ...] = (
    {"parameters": {"a": 1, "b": {"c": [1], "d": {"e": "f"}}, "names": "x,y"}},
    {
        "parameters": {"a": 2, "b": {"c": [2], "d": {"e": "g"}}, "names": ["z"]},
        "parameter_defaults": {"a": "text", "b": {"x": None}},
        "parameter_merge_strategies": {"default": "merge", "b": "deep_merge", "a": "overwrite"},
    },
    {
        "resource_registry": {
            "OS::A": "OS::B",
            "OS::B": "a.yaml",
            "X::*": "OS::*",
            "Y::Z*": "X::A*",
            "b.yaml": "c.yaml",
            "base_url": "http://example.com/",
            "resources": {
                "web": {"OS::A": "b.yaml", "hooks": "pre-create"},
                "we*": {"hooks": ["pre-update"], "restricted_actions": "replace"},
                "nest": {"inner": {"OS::A": "OS::C"}, "in*": {"hooks": ["pre-delete"]}},
            },
        },
        "event_sinks": [{"type": "zaqar-queue", "target": "q", "ttl": 5}],
        "encrypted_param_names": ["a"],
    },
    {"resource_registry": {"OS::A": None, "OS::*": None, "resources": {"web": None}}},
    {"parameter_defaults": {"b": '{"x": 1}', "a": 5}, "resource_registry": {"A*": "AA*"}},
)
TYPES = dict(zip("abcde", ParameterType, strict=False))


def merge_and_ask(environments: list[Any], explicit: Any) -> None:
    """Do all that can be done with environments."""
    files: list[EnvironmentFile] = []
    for index, data in enumerate(environments):
        try:
            # Some with lines and some without.
            name = f"env{index}.yaml"
            document = read(json.dumps(data), name) if index % 2 else from_data(data, name)
            files.append(parse(document))
        except InvalidDocument as refused:
            assert refused.problems
    try:
        parameters = from_data(explicit, "explicit")
        inline = [remainder(files[-1], files[:-1])] if files else []
        environment = merge(files, inline, parameters, TYPES)
        served = merge(files[1:], server=merge(files[:1]))
    except InvalidDocument as refused:
        assert refused.problems
        return
    json.dumps(environment.data(), allow_nan=False)
    for path, origin in environment.origins():
        assert environment.origin(path) is not None
        assert str(origin)
    for current in (environment, served):
        for kind in ("OS::A", "OS::B", "X::Y", "Y::ZZ", "A", "AAA", "a.yaml", ""):
            for owner in (None, "web", "nest", "inner"):
                try:
                    current.registry.lookup(kind, owner)
                    current.registry.lookup(kind, owner, lambda name: name == "OS::B")
                except InvalidDocument as refused:
                    assert refused.problems
        for owner in ("web", "nest", "["):
            current.registry.hooks(owner)
            current.registry.restricted_actions(owner)
            try:
                json.dumps(current.child(owner, "OS::A").data(), allow_nan=False)
            except InvalidDocument as refused:
                assert refused.problems
