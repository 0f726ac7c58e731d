"""Small things on the wire that clients rely on, and the form of what is adopted."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from psycopg import errors
from sqlalchemy.exc import OperationalError

from hotplate.engine.requests import listings
from tests.api.conftest import Api

TEMPLATE = {
    "heat_template_version": "wallaby",
    "resources": {"one": {"type": "OS::Heat::TestResource"}},
}


def adopt(api: Api, text: str) -> Any:
    return api.post("/stacks", json={"stack_name": "app", "adopt_stack_data": text})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[", 'the field "adopt_stack_data" is not valid JSON'),
        ("[" * 100_000, 'the field "adopt_stack_data" is not valid JSON'),
        ("[]", 'the field "adopt_stack_data" is not what abandon writes'),
        ('{"name": "\\u0000"}', 'the field "adopt_stack_data" contains a NUL character'),
        ("{}", "there is no template in it. Send what abandon wrote (adopt_stack_data)"),
    ],
)
def test_a_text_that_is_no_document_is_refused(api: Api, text: str, words: str) -> None:
    answer = adopt(api, text)
    assert answer.status_code == 400
    assert words in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("resources", "words"),
    [
        ([], "resources is not a map of resources"),
        ({"one": 1}, "resources.one is not a map"),
        ({"one": {"resource_id": 1}}, "resources.one has a resource_id that is no text"),
        ({"one": {"resource_data": [1]}}, "resource_data that is no map"),
        ({"one": {"resource_id": "x" * 70_000}}, "has a resource_id that cannot be kept"),
        ({"one": {"resources": {"two": 2}}}, "resources.one.resources.two is not a map"),
        ({"one": {"resources": None}}, "resources.one.resources is not a map of resources"),
    ],
)
def test_resources_of_another_form_are_refused(api: Api, resources: Any, words: str) -> None:
    answer = adopt(api, json.dumps({"template": TEMPLATE, "resources": resources}))
    assert answer.status_code == 400
    assert words in answer.json()["error"]["message"]
    assert api.get("/stacks").json()["stacks"] == []


def test_resources_inside_resources_have_a_bound(api: Api) -> None:
    resources: dict[str, Any] = {}
    for _ in range(100):
        resources = {"one": {"resources": resources}}
    answer = adopt(api, json.dumps({"template": TEMPLATE, "resources": resources}))
    assert answer.status_code == 400


def test_an_adopted_object_keeps_its_id(api: Api) -> None:
    known = {"one": {"resource_id": "there-already", "resource_data": None}}
    answer = adopt(api, json.dumps({"template": TEMPLATE, "resources": known}))
    assert answer.status_code == 201
    stack_id = answer.json()["stack"]["id"]
    assert api.wait(stack_id) == "ADOPT_COMPLETE"
    (resource,) = api.get(f"/stacks/app/{stack_id}/resources").json()["resources"]
    assert resource["physical_resource_id"] == "there-already"


def test_the_address_of_the_version_alone_tells_of_it(api: Api) -> None:
    for path in ("/v1", "/v1/", "/v1.0"):
        answer = api.get(f"http://testserver{path}")
        assert answer.status_code == 200
        assert answer.json()["version"]["links"][0]["href"] == "http://testserver/v1/"


def test_an_accepted_update_has_no_body(api: Api) -> None:
    made = api.post("/stacks", json={"stack_name": "app", "template": TEMPLATE}).json()["stack"]
    api.wait(made["id"])
    for method in ("PUT", "PATCH"):
        path = f"/stacks/app/{made['id']}"
        answer = api.request(method, path, json={"template": TEMPLATE})
        assert (answer.status_code, answer.content) == (202, b"")
        api.wait(made["id"])


def test_a_stack_that_is_deleted_while_it_is_shown_is_shown_as_deleted(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack_id = api.post("/stacks", json={"stack_name": "app", "template": TEMPLATE}).json()[
        "stack"
    ]["id"]
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    kind = type(api.engine.operations)
    outputs = kind.outputs

    async def overtaken(operations: Any, wanted: str, **more: Any) -> Any:
        await operations.delete(wanted)
        while (await operations.stack(wanted)).deleted_at is None:  # noqa: ASYNC110
            await asyncio.sleep(0)  # the engine tells nobody when it is done
        return await outputs(operations, wanted, **more)

    monkeypatch.setattr(kind, "outputs", overtaken)
    answer = api.get(f"/stacks/app/{stack_id}")
    assert answer.json()["stack"]["stack_status"] == "DELETE_COMPLETE"


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (RuntimeError("unforeseen"), 500),
        (OperationalError("SELECT", None, errors.AdminShutdown()), 503),
    ],
    ids=repr,
)
def test_a_list_that_cannot_be_made_is_not_answered_as_if_it_could(
    api: Api, monkeypatch: pytest.MonkeyPatch, failure: Exception, status: int
) -> None:
    def broken(*_: Any) -> Iterator[Any]:
        raise failure

    made = api.post("/stacks", json={"stack_name": "app", "template": TEMPLATE}).json()["stack"]
    monkeypatch.setattr(listings, "listed_resources", broken)
    answer = api.get(f"/stacks/app/{made['id']}/resources")
    assert answer.status_code == status
    assert answer.json()["code"] == status
