"""A secret on every way it can go: it reaches the provider, and nobody else."""

import json
import logging
from collections.abc import Iterator
from hashlib import sha256
from io import StringIO
from typing import Any

import pytest
from sqlalchemy import Connection, text

from hotplate.resources import ResourceType
from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.resource_type import Creation, Done, Resource, ResourceFailed, Result
from hotplate.secret import STARS
from hotplate.server.logs import JsonLine
from hotplate.workflow.drivers.driver import SERVICE, Execution, ExecutionState, Start
from tests.api.conftest import Api

WORD = "hunter2 & the zebra"
"""The secret; its parts and its digest are secrets as well."""

MARKS = (WORD, "hunter2", "zebra", sha256(WORD.encode()).hexdigest())
PARAMETERS = {"password": {"type": "string", "hidden": True}}
PASSWORD = {"get_param": "password"}
PARTS: dict[str, Any] = {
    "whole": PASSWORD,
    "part": {"str_split": [" ", PASSWORD, 0]},
    "digest": {"digest": ["sha256", PASSWORD]},
    "made": {
        "str_replace": {
            "template": "the $w!",
            "params": {"$w": {"str_split": ["the ", PASSWORD, 1]}},
        }
    },
}


class Gossip(ResourceType):
    """A provider that repeats what it was told: in attributes, in errors, in tracebacks."""

    name = "Test::Gossip"
    creation = Creation.REPEATABLE
    properties = {
        "told": Property(PropertyKind.ANY, updatable=True),
        "pin": Property(updatable=True, secret=True),
        "fails": Property(updatable=True),
        "name": Property(updatable=True),
    }
    attributes = {"echo": "what it was told"}
    received: list[Any]

    def __init__(self) -> None:
        self.received = []

    async def create(self, resource: Resource) -> Result:
        given = resource.properties
        self.received.append(given["told"])
        if given["fails"] == "politely":
            raise ResourceFailed(f"refused {json.dumps(given['told'])}, pin {given['pin']}")
        if given["fails"] == "rudely":
            raise LookupError(f"no such thing: {given['told']!r}")
        echo = {"again": given["told"], "pin": f"pin={given['pin']}"}
        return Done(resource.creation_token, attributes={"echo": echo})

    async def update(self, resource: Resource) -> Result:
        return await self.create(resource)

    def validate(self, properties: Any, timeout: float | None = None) -> str:
        if properties["fails"] == "at validation":
            return f"cannot be: {properties['told']}"
        return ""


@pytest.fixture
def gossip() -> Gossip:
    return Gossip()


@pytest.fixture
def api_types(gossip: Gossip) -> tuple[ResourceType, ...]:
    return (gossip,)


class Flows:
    """A workflow service in which everything fails, and says of what."""

    def __init__(self) -> None:
        self.started: list[Start] = []

    async def start(self, project: str, request: Start) -> Execution:
        self.started.append(request)
        said = f"login as {request.input['login']} failed, it was {request.input['host']}"
        return Execution(request.id, request.workflow, ExecutionState.ERROR, said)

    async def show(self, project: str, execution_id: str) -> Execution | None:
        return None


@pytest.fixture
def flows() -> Flows:
    return Flows()


@pytest.fixture
def api_services(flows: Flows) -> dict[str, Any]:
    return {SERVICE: flows}


@pytest.fixture
def log() -> Iterator[StringIO]:
    """What a server would have logged."""
    stream = StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLine())
    logging.getLogger().addHandler(handler)
    yield stream
    logging.getLogger().removeHandler(handler)


def template(resources: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "heat_template_version": "wallaby",
        "parameters": PARAMETERS,
        "resources": resources,
        **more,
    }


def it(**properties: Any) -> dict[str, Any]:
    return {"type": "Test::Gossip", "properties": properties}


def body(resources: dict[str, Any], **more: Any) -> dict[str, Any]:
    files = more.pop("files", {})
    return {
        "stack_name": "s",
        "template": template(resources, **more),
        "parameters": {"password": WORD},
        "files": files,
    }


def made(api: Api, given: dict[str, Any], status: str = "CREATE_COMPLETE") -> str:
    answer = api.post("/stacks", json=given)
    assert answer.status_code == 201, answer.text
    stack_id = answer.json()["stack"]["id"]
    assert api.wait(stack_id) == status
    return f"/stacks/s/{stack_id}"


def told(api: Api, path: str) -> str:
    """All that is told of a stack and of what is in it, but what templates and types offer."""
    answers = [path, f"{path}/events?nested_depth=5", f"{path}/environment", f"{path}/differences"]
    texts = [api.get(each).text for each in answers]
    events = api.get(f"{path}/events?nested_depth=5").json()["events"]
    texts += [api.get(each["links"][0]["href"]).text for each in events]
    names = [each["resource_name"] for each in api.get(f"{path}/resources").json()["resources"]]
    texts += [api.get(f"{path}/resources/{name}/why").text for name in names]
    texts += _written(api)
    return "\n".join(texts)


def _written(api: Api) -> list[str]:
    """Reasons as they are stored: whoever reads the database reads no secret in them."""

    def read(connection: Connection) -> list[str]:
        tables = ("stack", "version", "event")
        rows = (connection.execute(text(f"SELECT reason FROM {name}")) for name in tables)
        return [str(row[0]) for found in rows for row in found]

    return api.run(api.engine.database.read(read))


def assert_hidden(words: str, *more: str) -> None:
    for mark in (*MARKS, *more):
        assert mark not in words
        assert json.dumps(mark)[1:-1] not in words


def test_the_provider_gets_the_value_and_events_have_stars(api: Api, gossip: Gossip) -> None:
    path = made(api, body({"it": it(told=PARTS, pin="pin-4321-8765", name="seen")}))
    assert gossip.received[0]["whole"] == WORD
    assert type(gossip.received[0]["whole"]) is str
    words = told(api, path)
    assert_hidden(words, "pin-4321-8765")
    events = api.get(f"{path}/resources/it/events").json()["events"]
    properties = api.get(events[0]["links"][0]["href"]).json()["event"]["resource_properties"]
    assert properties == {
        "told": dict.fromkeys(PARTS, STARS), "pin": STARS, "name": "seen",
    }  # fmt: skip


@pytest.mark.parametrize("how", ["politely", "rudely"])
def test_an_error_that_repeats_a_secret_is_written_with_stars(
    api: Api, how: str, log: StringIO
) -> None:
    given = body({"it": it(told=PARTS, pin="pin-4321-8765", fails=how)})
    path = made(api, given, "CREATE_FAILED")
    words = told(api, path)
    assert STARS in api.get(path).json()["stack"]["stack_status_reason"]
    assert_hidden(words, "pin-4321-8765")
    assert_hidden(log.getvalue(), "pin-4321-8765")


def test_a_fault_in_a_type_is_logged_with_stars(
    api: Api, log: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Gossip, properties: Any, timeout: float | None = None) -> str:
        raise RuntimeError(f"never heard of {properties['told']}")

    monkeypatch.setattr(Gossip, "validate", broken)
    answer = api.post("/stacks", json=body({"it": it(told=PARTS)}))
    if answer.status_code == 201:
        api.wait(answer.json()["stack"]["id"])
    assert "unexpected error" in log.getvalue()
    assert STARS in log.getvalue()
    assert_hidden(log.getvalue() + answer.text)


def test_what_is_published_stays_secret_for_others(api: Api, gossip: Gossip) -> None:
    resources = {
        "random": {"type": "OS::Heat::RandomString", "properties": {"length": 40}},
        "value": {"type": "OS::Heat::Value", "properties": {"value": PASSWORD}},
        "it": it(
            told=[
                {"get_attr": ["value", "value"]},
                {"get_attr": ["random", "value"]},
                {"get_resource": "random"},
                {"list_join": ["", ["x", {"get_attr": ["random", "value"]}]]},
            ],
            pin="pin-4321-8765",
        ),
        "next": it(told={"get_attr": ["it", "echo"]}, fails="politely"),
    }
    path = made(api, body(resources), "CREATE_FAILED")
    drawn = gossip.received[0][1]
    assert gossip.received[0] == [WORD, drawn, drawn, f"x{drawn}"]
    assert gossip.received[1]["again"][3] == f"x{drawn}"
    assert_hidden(told(api, path), drawn, "pin-4321-8765")


INNER = template(
    {"leaf": it(told={"digest": ["sha256", {"get_param": "word"}]}, fails={"get_param": "how"})},
    outputs={"back": {"value": {"get_param": "word"}}},
) | {"parameters": {"word": {"type": "string"}, "how": {"type": "string", "default": ""}}}


@pytest.mark.parametrize(
    "outer",
    [
        {"type": "inner.yaml", "properties": {"word": PASSWORD, "how": "politely"}},
        {
            "type": "OS::Heat::Stack",
            "properties": {
                "template": {"get_file": "inner.yaml"},
                "parameters": {"word": PASSWORD, "how": "politely"},
            },
        },
        {
            "type": "OS::Heat::ResourceGroup",
            "properties": {
                "count": 1,
                "resource_def": it(told=["%index%", PARTS], fails="politely", name="m"),
            },
        },
        {
            "type": "OS::Heat::AutoScalingGroup",
            "properties": {
                "min_size": 1,
                "max_size": 2,
                "resource": {
                    "type": "inner.yaml",
                    "properties": {"word": PASSWORD, "how": "rudely"},
                },
            },
        },
    ],
)
def test_nested_stacks_and_groups_hand_on_what_is_secret(api: Api, outer: Any) -> None:
    """The nested template does not hide its parameter, or has the value written in it."""
    path = made(
        api, body({"outer": outer}, files={"inner.yaml": json.dumps(INNER)}), "CREATE_FAILED"
    )
    words = told(api, path)
    assert STARS in words
    assert_hidden(words)


def test_outputs_of_nested_stacks_are_secret_for_the_outer_one(api: Api, gossip: Gossip) -> None:
    resources = {
        "inner": {"type": "inner.yaml", "properties": {"word": PASSWORD}},
        "it": it(told={"get_attr": ["inner", "back"]}, fails="politely"),
    }
    given = body(resources, files={"inner.yaml": json.dumps(INNER)})
    path = made(api, given, "CREATE_FAILED")
    assert WORD in gossip.received
    assert_hidden(told(api, path))


def test_what_a_template_exposes_is_shown_as_heat_shows_it(api: Api) -> None:
    resources = {"value": {"type": "OS::Heat::Value", "properties": {"value": PASSWORD}}}
    outputs = {"open": {"value": {"get_attr": ["value", "value"]}}}
    path = made(api, body(resources, outputs=outputs))
    assert api.get(f"{path}/outputs/open").json()["output"]["output_value"] == WORD
    shown = api.get(path).json()["stack"]
    assert shown["outputs"][0]["output_value"] == WORD
    assert shown["parameters"]["password"] == STARS


def test_previews_have_stars(api: Api) -> None:
    inner = {"type": "inner.yaml", "properties": {"word": PASSWORD}}
    files = {"inner.yaml": json.dumps(INNER)}
    given = body(
        {"it": it(told=PARTS, pin="pin-4321-8765", name="one"), "inner": inner}, files=files
    )
    seen = api.post("/stacks/preview", json=given)
    assert seen.status_code == 200, seen.text
    assert_hidden(seen.text.replace(json.dumps(INNER), ""), "pin-4321-8765")
    path = made(api, given)
    given["template"]["resources"]["it"]["properties"] = {"told": PASSWORD, "name": "two"}
    given["parameters"] = {"password": "another-secret"}
    seen = api.put(f"{path}/preview?show_nested=true", json=given)
    assert seen.status_code == 200, seen.text
    (changed,) = (
        each for each in seen.json()["resource_changes"]["updated"] if each["resource_name"] == "it"
    )
    values = {each["property"]: (each["old"], each["new"]) for each in changed["changes"]}
    assert values["name"] == ("one", "two")
    assert values["told"] == (dict.fromkeys(PARTS, STARS), STARS)
    assert values["pin"] == (STARS, None)
    assert_hidden(seen.text, "pin-4321-8765", "another-secret")


def test_validation_tells_no_secret(api: Api) -> None:
    parameters = {
        **PARAMETERS,
        "other": {"type": "string", "hidden": True, "default": "by default"},
    }
    given = body({"it": it(told=PASSWORD)}) | {
        "environment": {"parameter_defaults": {"other": "of the environment"}}
    }
    given["template"]["parameters"] = parameters
    answer = api.post("/validate", json=given)
    assert answer.status_code == 200, answer.text
    assert answer.json()["Parameters"]["password"]["Value"] == STARS
    assert answer.json()["Parameters"]["other"]["Default"] == STARS
    assert answer.json()["Environment"]["parameters"] == {"password": STARS}
    assert_hidden(answer.text, "by default", "of the environment")


@pytest.mark.parametrize(
    "wrong",
    [
        {"str_split": [" ", PASSWORD, 9]},
        {"digest": [PASSWORD, "x"]},
        {"get_file": PASSWORD},
        {"yaql": {"expression": "int($.data)", "data": PASSWORD}},
    ],
)
def test_problems_tell_no_secret(api: Api, wrong: Any) -> None:
    answer = api.post("/stacks", json=body({"it": it(told=wrong)}))
    assert answer.status_code == 400, answer.text
    assert_hidden(answer.text)


def test_what_a_type_refuses_is_told_without_secrets(api: Api) -> None:
    answer = api.post("/stacks", json=body({"it": it(told=PARTS, fails="at validation")}))
    assert answer.status_code == 400, answer.text
    assert f"cannot be: {{'whole': '{STARS}'" in answer.text
    assert_hidden(answer.text)


def test_a_value_of_the_wrong_kind_is_told_without_secrets(api: Api) -> None:
    wrong = {"type": "OS::Heat::RandomString", "properties": {"length": PARTS["part"]}}
    answer = api.post("/stacks", json=body({"random": wrong}))
    assert answer.status_code == 400, answer.text
    assert f"Value '{STARS}' is not an integer" in answer.text
    assert_hidden(answer.text)


def test_a_wait_condition_that_fails_tells_no_secret(api: Api) -> None:
    resources = {
        "handle": {"type": "OS::Heat::WaitConditionHandle"},
        "wait": {
            "type": "OS::Heat::WaitCondition",
            "properties": {"handle": {"get_resource": "handle"}, "timeout": 100},
        },
        "it": it(told={"get_attr": ["handle", "signal"]}),
    }
    answer = api.post("/stacks", json=body(resources))
    stack_id = answer.json()["stack"]["id"]
    path = f"/stacks/s/{stack_id}"

    async def is_there() -> bool:
        found = await api.engine.operations.resources(stack_id)
        return "handle" in found and found["handle"].physical_id is not None

    api.until(is_there)
    said = {"status": "FAILURE", "reason": f"login with {WORD} failed", "data": WORD, "id": "1"}
    assert api.post(f"{path}/resources/handle/signal", json=said).status_code == 200
    assert api.wait(stack_id) == "CREATE_FAILED"
    words = told(api, path)
    assert "login with" in words
    assert_hidden(words, "Signature=")


def test_a_deployment_that_fails_tells_no_secret(api: Api) -> None:
    resources = {
        "server": {"type": "OS::Heat::DeployedServer"},
        "config": {
            "type": "OS::Heat::SoftwareConfig",
            "properties": {"group": "script", "inputs": [{"name": "who"}, {"name": "what"}]},
        },
        "deployment": {
            "type": "OS::Heat::SoftwareDeployment",
            "properties": {
                "config": {"get_resource": "config"},
                "server": {"get_resource": "server"},
                "input_values": {"who": PASSWORD, "what": "declared by the type"},
            },
        },
    }
    answer = api.post("/stacks", json=body(resources))
    stack_id = answer.json()["stack"]["id"]
    path = f"/stacks/s/{stack_id}"

    async def is_asleep() -> bool:
        found = (await api.engine.operations.resources(stack_id)).get("deployment")
        return found is not None and found.cookie is not None and not found.cookie["is_new"]

    api.until(is_asleep)
    said = {"deploy_status_code": 1, "deploy_stderr": f"{WORD}: declared by the type"}
    signal = api.post(f"{path}/resources/deployment/signal", json=said)
    assert signal.status_code == 200, signal.text
    assert api.wait(stack_id) == "CREATE_FAILED"
    assert_hidden(told(api, path), "declared by the type")


def test_a_workflow_that_fails_tells_no_secret(api: Api, flows: Flows) -> None:
    flow = {
        "type": "OS::Mistral::ExternalResource",
        "properties": {
            "actions": {"CREATE": {"workflow": "make"}},
            "input": {"login": PASSWORD, "host": "db1"},
        },
    }
    path = made(api, body({"flow": flow}), "CREATE_FAILED")
    assert flows.started[0].input == {"login": WORD, "host": "db1"}
    assert WORD in flows.started[0].secrets
    (failure,) = api.get(path).json()["stack"]["failures"]
    assert failure["input"] == {"login": STARS, "host": "db1"}
    assert "it was db1" in failure["reason"]
    assert_hidden(told(api, path))


def test_a_stored_definition_remembers_its_secrets(api: Api) -> None:
    """Also when the template that hid the parameter is not what the stack is made of any more."""
    path = made(api, body({"it": it(told=PASSWORD)}))
    open_ = {"password": {"type": "string"}}
    given = body({"it": it(told="plain")}) | {"parameters": {"password": "open"}}
    given["template"]["parameters"] = open_
    assert api.put(path, json=given).status_code == 202
    assert api.wait(path.rsplit("/", 1)[1]) == "UPDATE_COMPLETE"
    events = api.get(f"{path}/resources/it/events").json()["events"]
    texts = [api.get(each["links"][0]["href"]).text for each in events]
    assert_hidden("".join(texts))
