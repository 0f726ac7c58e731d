"""Ask the registry of a real OpenStack Heat, and keep its answers in registry.json.

Run it with the Python of a Heat installation: `python record_registry.py`.
It uses Heat as a library; no service needs to run.
"""

import importlib
import json
import logging
import random
import sys
from pathlib import Path
from typing import Any

PLUGINS = ["OS::Nova::Server", "OS::Neutron::Net", "OS::Heat::None", "X::Y"]
SERVER = {"Old::Net": "OS::Neutron::Net", "resources": {"s": {"Per::Name": "X::Y"}}}
TYPES = [*PLUGINS, "A::B", "A::C", "B::C", "Old::Net", "Per::Name", "t.yaml", "My::T"]
TARGETS = ["OS::Nova::Server", "OS::Heat::None", "X::Y", "a.yaml", "b.template", None]
NAMES = ["s", "t", "web_db"]
PATTERNS = ["s", "t", "*", "*_db", "s*"]
HOOKS = ["pre-create", "post-update", ["pre-update", "pre-delete"], [], None]
ACTIONS = ["update", ["update", "replace"], None]


def random_registry(dice: random.Random) -> dict[str, Any]:
    """Make a registry whose wildcard, if any, competes with no other entry for a type."""
    registry: dict[str, Any] = {}
    for name in dice.sample(["A::B", "A::C", "Old::Net", "OS::Neutron::Net", "x.yaml"], 2):
        registry[name] = dice.choice(TARGETS)
    if dice.random() < 0.5:
        registry["My::T"] = dice.choice([n for n in registry if n != "x.yaml"])
    if dice.random() < 0.5:
        registry["B::*"] = dice.choice(["A::*", "X::Y", "OS::Heat::None"])
    if dice.random() < 0.3:
        registry["A::*"] = None
    if dice.random() < 0.7:
        registry["resources"] = {
            name: random_resource(dice, 2) for name in dice.sample(PATTERNS, 2)
        }
    return registry


def random_resource(dice: random.Random, depth: int) -> dict[str, Any]:
    resource: dict[str, Any] = {}
    if dice.random() < 0.5:
        resource[dice.choice(["A::B", "B::C"])] = dice.choice(TARGETS)
    if dice.random() < 0.5:
        resource["hooks"] = dice.choice(HOOKS)
    if dice.random() < 0.3:
        resource["restricted_actions"] = dice.choice(ACTIONS)
    if depth and dice.random() < 0.6:
        resource[dice.choice(PATTERNS)] = random_resource(dice, depth - 1)
    return resource


DIFFERENT = [
    (
        "a wildcard must not win over the type itself",
        {"OS::*": "OS::Heat::None", "OS::Nova::Server": "my.yaml"},
        "OS::Nova::Server",
        "my.yaml",
    ),
    (
        "the longer wildcard wins",
        {"OS::*": "OS::Heat::None", "OS::Nova::*": "X::Y"},
        "OS::Nova::Server",
        "X::Y",
    ),
    (
        "an alias to a type that does not exist is not silently passed over",
        {"OS::Nova::Server": "My::Missing"},
        "OS::Nova::Server",
        "My::Missing",
    ),
    ("an alias to itself ends there", {"A": "A"}, "A", "A"),
    ("a circle is a problem, not a crash", {"A": "B", "B": "A"}, "A", "problem"),
]


def main() -> None:
    """Write registry.json beside this file."""
    logging.disable(logging.CRITICAL)
    environment, resources, support = (
        importlib.import_module(f"heat.engine.{name}")
        for name in ("environment", "resources", "support")
    )

    class Plugin:
        support_status = support.SupportStatus()

        def __init__(self, name: str) -> None:
            self.name = name

    def heat(registry: Any) -> Any:
        server = environment.Environment({"resource_registry": SERVER}, user_env=False)
        for name in PLUGINS:
            server.registry.register_class(name, Plugin(name))
        vars(resources)["_environment"] = server
        return environment.Environment({"resource_registry": registry})

    def lookup(registry: Any, resource_type: str, name: str | None) -> Any:
        try:
            info = heat(registry).registry.get_resource_info(resource_type, name)
        except Exception as error:
            return type(error).__name__
        return getattr(info.value, "name", info.value)

    def settings(found: Any, name: str) -> list[list[str]]:
        hooks = [h for h in environment.HOOK_TYPES if found.registry.matches_hook(name, h)]
        return [hooks, sorted(found.registry.get_rsrc_restricted_actions(name))]

    dice = random.Random(4)
    cases = []
    for _ in range(120):
        registry = random_registry(dice)
        owner = dice.choice(NAMES)
        child = environment.get_child_environment(
            heat(registry), {}, child_resource_name=owner
        ).registry
        cases.append(
            {
                "registry": registry,
                "lookups": {t: [lookup(registry, t, n) for n in (None, *NAMES)] for t in TYPES},
                "settings": {name: settings(heat(registry), name) for name in NAMES},
                "owner": owner,
                "child": {
                    t: getattr(info, "name", info)
                    for t in ["A::B", "A::C", "X::Y", "My::T"]
                    for info in [child_lookup(child, t, "s")]
                },
            }
        )
    different = [
        {"why": why, "registry": r, "type": t, "ours": ours, "heat": lookup(r, t, None)}
        for why, r, t, ours in DIFFERENT
    ]
    lines = [
        f'"names": {json.dumps([None, *NAMES])}',
        '"cases": [\n  ' + ",\n  ".join(map(json.dumps, cases)) + "\n ]",
        '"different": [\n  ' + ",\n  ".join(map(json.dumps, different)) + "\n ]",
    ]
    target = Path(__file__).with_name("registry.json")
    target.write_text("{\n " + ",\n ".join(lines) + "\n}\n")
    print(f"{len(cases)} cases in {target}", file=sys.stderr)


def child_lookup(registry: Any, resource_type: str, name: str) -> Any:
    try:
        return registry.get_resource_info(resource_type, name).value
    except Exception as error:
        return type(error).__name__


if __name__ == "__main__":
    main()
