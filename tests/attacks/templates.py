"""Templates and requests that ask for as much as they can."""

import json
from typing import Any

BASE: dict[str, Any] = {"heat_template_version": "wallaby"}


def template(**sections: Any) -> dict[str, Any]:
    return {**BASE, **sections}


def value(expression: Any, **sections: Any) -> dict[str, Any]:
    """A template with one resource that has a value."""
    resource = {"type": "OS::Heat::Value", "properties": {"value": expression}}
    return template(resources={"a": resource}, **sections)


def output(expression: Any, **sections: Any) -> dict[str, Any]:
    """A template whose output is dear."""
    resources = {"a": {"type": "OS::Heat::None"}}
    return template(resources=resources, outputs={"o": {"value": expression}}, **sections)


def with_pattern(pattern: str, text: str) -> dict[str, Any]:
    constraint = {"allowed_pattern": pattern}
    parameter = {"type": "string", "default": text, "constraints": [constraint]}
    return template(parameters={"p": parameter}, resources={"a": {"type": "OS::Heat::None"}})


def doubled(times: int) -> Any:
    """A text that is twice as long with every step."""
    found: Any = "x" * 64
    for _ in range(times):
        found = {"str_replace": {"template": "$x$x", "params": {"$x": found}}}
    return found


def replaced(times: int) -> Any:
    """A text in which every letter is replaced by many, again and again."""
    found: Any = "x" * 50
    for _ in range(times):
        found = {"str_replace": {"template": found, "params": {"x": "x" * 50}}}
    return found


def yaql(expression: str, data: Any = None) -> Any:
    return {"yaql": {"expression": expression, "data": data or {}}}


def group(count: int, member: Any = None) -> dict[str, Any]:
    definition = member or {"type": "OS::Heat::RandomString"}
    properties = {"count": count, "resource_def": definition}
    return template(resources={"g": {"type": "OS::Heat::ResourceGroup", "properties": properties}})


def sized_group() -> dict[str, Any]:
    """A group whose size is a parameter."""
    member = {"type": "OS::Heat::Value", "properties": {"value": "%index%"}}
    properties = {"count": {"get_param": "n"}, "resource_def": member}
    group = {"type": "OS::Heat::ResourceGroup", "properties": properties}
    return template(parameters={"n": {"type": "number", "default": 10}}, resources={"g": group})


def waiting(count: int) -> dict[str, Any]:
    """A handle, and what waits until it has got so many signals."""
    properties = {"handle": {"get_resource": "h"}, "count": count, "timeout": 300}
    condition = {"type": "OS::Heat::WaitCondition", "properties": properties}
    return template(resources={"h": {"type": "OS::Heat::WaitConditionHandle"}, "c": condition})


def flat(count: int) -> dict[str, Any]:
    resource = {"type": "OS::Heat::None"}
    return template(resources={f"r{number}": resource for number in range(count)})


def chain(count: int) -> dict[str, Any]:
    resources: dict[str, Any] = {"r0": {"type": "OS::Heat::Value", "properties": {"value": "x"}}}
    for number in range(1, count):
        before = {"get_attr": [f"r{number - 1}", "value"]}
        resources[f"r{number}"] = {"type": "OS::Heat::Value", "properties": {"value": before}}
    return template(resources=resources)


def layers(*widths: int) -> dict[str, Any]:
    """Random texts, and layers of values, each of which is made of all in the layer before."""
    string = {"type": "OS::Heat::RandomString"}
    resources: dict[str, Any] = {f"r0-{number}": string for number in range(widths[0])}
    for layer, width in enumerate(widths[1:], 1):
        before = [{"get_attr": [f"r{layer - 1}-{n}", "value"]} for n in range(widths[layer - 1])]
        value = {"list_join": ["-", before]}
        for number in range(width):
            definition = {"type": "OS::Heat::Value", "properties": {"value": value}}
            resources[f"r{layer}-{number}"] = definition
    return template(resources=resources)


def faulty(count: int) -> dict[str, Any]:
    resource = {"type": "OS::Heat::Value", "properties": {"value": {"get_resource": "nowhere"}}}
    return template(resources={f"r{number}": resource for number in range(count)})


def nested(width: int, depth: int) -> tuple[dict[str, Any], dict[str, str]]:
    """A tree of template files, each of which has several of the next."""
    files: dict[str, str] = {"0.yaml": json.dumps(flat(width))}
    for level in range(1, depth):
        inner = {"type": f"{level - 1}.yaml"}
        files[f"{level}.yaml"] = json.dumps(
            template(resources={f"r{number}": inner for number in range(width)})
        )
    root = template(
        resources={f"r{number}": {"type": f"{depth - 1}.yaml"} for number in range(width)}
    )
    return root, files


ALIASES = "heat_template_version: wallaby\na: &a [x, x]\n" + "".join(
    f"{chr(98 + number)}: &{chr(98 + number)} [*{chr(97 + number)}, *{chr(97 + number)}]\n"
    for number in range(20)
)

WORKFLOW = """
version: '2.0'
{name}:
  input: [n: 1]
  tasks:
    begin:
      with-items: i in <% range({items}) %>
      action: std.echo output=<% $.i %>
      publish:
        out: "{published}"
"""

RECURSIVE_WORKFLOW = """
version: '2.0'
{name}:
  tasks:
    left:
      workflow: {name}
    right:
      workflow: {name}
"""

ENDLESS_WORKFLOW = """
version: '2.0'
{name}:
  tasks:
    a:
      action: std.noop
      on-success: b
    b:
      action: std.noop
      on-success: a
"""
