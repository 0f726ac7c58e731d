"""The OpenAPI document: complete, sound, and the same as the one in the manual."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import Response

from hotplate.api.endpoints import ENDPOINTS, OPEN_ENDPOINTS
from hotplate.api.http.endpoint import Call, Endpoint
from hotplate.api.http.fields import Body, Field, Kind, Query, QueryKind
from hotplate.api.openapi import openapi_document, openapi_text
from hotplate.api.workflows.endpoints import WORKFLOW_ENDPOINTS

ROOT = Path(__file__).resolve().parents[3]
DOCUMENT = openapi_document(ENDPOINTS, OPEN_ENDPOINTS, WORKFLOW_ENDPOINTS)
OPERATIONS = [
    pytest.param(operation, id=operation["operationId"])
    for path in DOCUMENT["paths"].values()
    for operation in path.values()
]


async def _answer(call: Call) -> Response:
    raise NotImplementedError


def _operation(**options: Any) -> dict[str, Any]:
    endpoint = Endpoint(
        "GET", "/things/{thing_id:path}", _answer, "Show", "things", rule="", **options
    )
    document = openapi_document([endpoint])
    operation: dict[str, Any] = document["paths"]["/v1/{project}/things/{thing_id}"]["get"]
    return operation


def test_the_manual_has_the_document_as_it_is() -> None:
    kept = (ROOT / "docs" / "openapi.json").read_text(encoding="utf-8")
    assert kept == openapi_text(DOCUMENT), "docs/openapi.json is stale; run: make openapi"


def test_every_endpoint_is_in_it() -> None:
    assert len(OPERATIONS) == len(ENDPOINTS) + len(OPEN_ENDPOINTS) + len(WORKFLOW_ENDPOINTS)
    ids = [operation.values[0]["operationId"] for operation in OPERATIONS]  # type: ignore[index]
    assert len(set(ids)) == len(ids)


def test_every_name_that_is_referred_to_is_there() -> None:
    for group, name in re.findall(r'"#/components/(\w+)/(\w+)"', json.dumps(DOCUMENT)):
        assert name in DOCUMENT["components"][group]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_says_all_that_it_takes_and_answers(operation: dict[str, Any]) -> None:
    assert operation["summary"]
    assert operation["tags"]
    answers = operation["responses"]
    assert {"400", "401", "403", "404"} <= set(answers)
    done = {status: answer for status, answer in answers.items() if status < "400"}
    assert done
    for status, answer in done.items():
        # An answer has a schema that says something, or no body.
        assert all(media["schema"] for media in answer.get("content", {}).values()), status
        assert ("content" in answer) == (status in ("200", "201"))
        is_of_workflows = "_v2_" in operation["operationId"]
        is_located = status in ("201", "302") and not is_of_workflows
        assert ("Location" in answer["headers"]) == is_located


@pytest.mark.parametrize("below", ["resources", "events"])
def test_n21_nested_depth_is_a_number_or_max(below: str) -> None:
    path = f"/v1/{{project}}/stacks/{{stack_name}}/{{stack_id}}/{below}"
    parameters = {each["name"]: each for each in DOCUMENT["paths"][path]["get"]["parameters"]}
    number, word = parameters["nested_depth"]["schema"]["oneOf"]
    assert (number["type"], number["minimum"]) == ("integer", 0)
    assert all(re.search(word["pattern"], text) for text in ("MAX", "max", "Max"))


def test_variables_of_an_address_are_parameters() -> None:
    names = [each["name"] for each in _operation()["parameters"] if each["in"] == "path"]
    assert names == ["project", "thing_id"]


def test_query_parameters_tell_how_they_are_written() -> None:
    declared = (Query("word", QueryKind.WORDS, "Words."), Query("flag", QueryKind.FLAG, "Or not."))
    word, flag = _operation(query=declared)["parameters"][2:]
    assert (word["schema"]["type"], word["explode"], word["required"]) == ("array", True, False)
    assert re.search(flag["schema"]["pattern"], "True")
    assert not re.search(flag["schema"]["pattern"], "yes")


def test_a_body_tells_its_fields() -> None:
    body = Body((Field("name", (Kind.TEXT,), "A name.", required=True, longest=9),), closed=True)
    described = _operation(body=body)["requestBody"]
    schema = described["content"]["application/json"]["schema"]
    assert described["required"] is True
    assert schema["required"] == ["name"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["name"]["maxLength"] == 9


def test_another_media_type_is_told() -> None:
    answers = _operation(answers={200: {"type": "string"}}, media_type="text/event-stream")
    assert list(answers["responses"]["200"]["content"]) == ["text/event-stream"]
