"""What a recipe and its options can have wrong with them."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from tests.api.bad_requests.stage import FILES, HOT, TEMPLATE, Stage, refused


@dataclass(frozen=True)
class Bad:
    """A body that cannot be meant, and what the answer says about it."""

    name: str
    body: dict[str, Any]
    words: tuple[str, ...]
    kind: str = ""
    also_patch: bool = True


def resources(text: str) -> dict[str, Any]:
    return {"template": f"{HOT}resources: {text}"}


RECIPES = [
    Bad("no template", {"template": None}, ("No template",), also_patch=False),
    Bad("empty template", {"template": ""}, ("No template",), also_patch=False),
    Bad("no version", {"template": {"resources": {}}}, ("version",)),
    Bad("unknown version", {"template": "heat_template_version: 1999-01-01"}, ("1999-01-01",)),
    Bad("no YAML", {"template": "a: [b"}, ("not valid YAML", "template:2:1")),
    Bad("a scalar", {"template": "just words"}, ("emplate",)),
    Bad("unknown section", {"template": HOT + "resuorces: {}"}, ("resuorces",)),
    Bad("unknown type", resources("{a: {type: No::Such::Type}}"), ("No::Such::Type",)),
    Bad(
        "unknown property",
        resources("{a: {type: OS::Heat::TestResource, properties: {valeu: 1}}}"),
        ("valeu",),
    ),
    Bad(
        "wrong property",
        resources("{a: {type: OS::Heat::TestResource, properties: {wait_secs: soon}}}"),
        ("wait_secs",),
    ),
    Bad(
        "unknown resource",
        resources(
            "{a: {type: OS::Heat::TestResource, properties: {value: {get_resource: nobody}}}}"
        ),
        ("nobody",),
        "InvalidTemplateReference",
    ),
    Bad(
        "circle",
        resources("{a: {type: OS::Heat::None, depends_on: a}}"),
        ("a",),
        "CircularDependencyException",
    ),
    Bad(
        "missing file",
        resources("{a: {type: OS::Heat::TestResource, properties: {value: {get_file: gone.sh}}}}"),
        ("gone.sh",),
    ),
    Bad("missing nested template", resources("{a: {type: gone.yaml}}"), ("gone.yaml",)),
    Bad(
        "missing parameter",
        {"template": HOT + "parameters: {must: {type: string}}"},
        ("must",),
        "UserParameterMissing",
    ),
    Bad("undeclared parameter", {"parameters": {"nobody": 1}}, ("nobody",), "UnknownUserParameter"),
    Bad("wrong parameter", {"parameters": {"size": "big"}}, ("size",)),
    Bad("missing environment file", {"environment_files": ["gone.yaml"]}, ("gone.yaml",)),
    Bad(
        "broken environment file",
        {"environment_files": ["e.yaml"], "files": {**FILES, "e.yaml": "parameters: ["}},
        ("e.yaml",),
    ),
    Bad("unknown environment section", {"environment": {"paramaters": {}}}, ("paramaters",)),
    Bad("broken environment", {"environment": "a: ["}, ("nvironment",)),
    Bad("address of a file", {"template": None, "template_url": "file:///etc/passwd"}, ("file",)),
    Bad("address of nothing", {"template": None, "template_url": "not an address"}, ("template",)),
    Bad("container", {"files_container": "c"}, ("files_container",)),
    Bad(
        "10 MB",
        {"template": HOT + "# " + "x" * 10_000_000},
        ("10000036 bytes", "exceeds maximum allowed size"),
        "RequestLimitExceeded",
    ),
    Bad("deep template", {"template": HOT + "description: " + "[" * 5000}, ("deep",)),
    Bad(
        "many aliases",
        {
            "template": HOT
            + "\n".join(
                f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9) if n else 1}]" for n in range(12)
            )
        },
        ("alias",),
    ),
]
OPTIONS = [
    Bad("negative timeout", {"timeout_mins": -5}, ("timeout_mins",)),
    Bad("negative timeout as text", {"timeout_mins": "-5"}, ("timeout_mins",)),
    Bad("timeout in words", {"timeout_mins": "soon"}, ("timeout_mins",)),
    Bad("huge timeout", {"timeout_mins": 2**31}, ("timeout_mins",)),
    Bad("huge timeout as text", {"timeout_mins": str(2**31)}, ("timeout_mins",)),
    Bad("rollback in words", {"disable_rollback": "maybe"}, ("disable_rollback",)),
    Bad("long tag", {"tags": "t" * 81}, ("tag",)),
    Bad("long tag in a list", {"tags": ["fine", "t" * 81]}, ("tag",)),
]
NAMES = ["1st", "", " ", "a b", "a/b", "größer", "-a", "a" * 256, "a\n", "../a"]


@pytest.mark.parametrize("bad", [*RECIPES, *OPTIONS], ids=lambda bad: bad.name)
def test_a_recipe_that_cannot_be_is_explained(stage: Stage, bad: Bad) -> None:
    body = {"template": TEMPLATE, "files": FILES, **bad.body}
    asked = [
        ("POST", "/stacks", {"stack_name": "new", **body}),
        ("POST", "/stacks/preview", {"stack_name": "new", **body}),
        ("PUT", stage.stack, body),
    ]
    if bad in RECIPES:
        asked.append(("PUT", f"{stage.stack}/preview", body))
    if bad in RECIPES and bad.kind != "UserParameterMissing":
        asked.append(("POST", "/validate", body))
    if bad.also_patch:
        asked.append(("PATCH", stage.stack, {k: v for k, v in bad.body.items() if v is not None}))
    for method, path, content in asked:
        response = stage.api.request(method, path, content=json.dumps(content))
        refused(response, 400, *bad.words, kind=bad.kind)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("path", ["/stacks", "/stacks/preview"])
def test_a_name_that_is_no_name_is_told(stage: Stage, path: str, name: str) -> None:
    body = {"stack_name": name, "template": TEMPLATE, "files": FILES}
    refused(stage.api.post(path, json=body), 400, f"Invalid stack name {name}")


@pytest.mark.parametrize("path", ["/stacks", "/stacks/preview"])
def test_a_name_that_is_taken_is_told(stage: Stage, path: str) -> None:
    body = {"stack_name": "here", "template": TEMPLATE, "files": FILES}
    refused(stage.api.post(path, json=body), 409, "The Stack (here)", kind="StackExists")


@pytest.mark.parametrize(
    "data",
    [
        "{",
        "[]",
        '"text"',
        "{}",
        '{"resources": []}',
        '{"template": 5}',
        '{"template": {}, "resources": {"a": 5}}',
        '{"template": {"heat_template_version": "2021-04-16", "resources": '
        '{"a": {"type": "OS::Heat::TestResource"}}}, "resources": {"a": "text"}}',
    ],
)
def test_what_abandon_did_not_write_cannot_be_adopted(stage: Stage, data: str) -> None:
    body = {"stack_name": "new", "adopt_stack_data": data}
    refused(stage.api.post("/stacks", json=body), 400)
