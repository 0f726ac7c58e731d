"""Large requests and answers: bounded, and no step of the event loop takes long for them.

The fixture `api` fails the test otherwise.
"""

import json
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import Connection

from hotplate.api.http.settings import Settings
from hotplate.store.events import insert_events
from tests.api.conftest import Api

HOT = "heat_template_version: wallaby\n"
EMPTY = HOT + "resources: {v: {type: OS::Heat::Value, properties: {value: 1}}}\n"


@pytest.fixture
def api_settings() -> Settings:
    return Settings(most_events=3000, largest_outputs=1_000_000)


def created(api: Api, template: str = EMPTY, name: str = "s", **more: Any) -> str:
    answer = api.post("/stacks", json={"stack_name": name, "template": template, **more})
    assert answer.status_code == 201, answer.text
    stack = answer.json()["stack"]
    assert api.wait(stack["id"]) == "CREATE_COMPLETE"
    return f"/stacks/{name}/{stack['id']}"


@pytest.mark.slow
def test_a_body_of_megabytes_is_read_beside_the_loop(api: Api) -> None:
    body = {
        "stack_name": "s",
        "template": EMPTY,
        "files": {"big": "a line, and more\n" * 1_000_000},
    }
    # Bytes: the client would encode a text in the loop that is watched.
    content = json.dumps(body).encode()
    assert api.post("/stacks", content=content).status_code == 201


def test_a_body_with_very_many_values_is_refused(api: Api) -> None:
    text = '{"stack_name": "s", "template": {"a": [' + "[]," * 600_000 + "[]]}}"
    answer = api.post("/stacks", content=text)
    assert answer.status_code == 400
    assert "more than the maximum of 500000 values" in answer.text


def test_events_come_in_pages_even_if_nobody_asks_for_it(api: Api) -> None:
    path = created(api)
    stack_id = path.rpartition("/")[2]
    rows = [
        (str(uuid4()), stack_id, stack_id, 0.0, "v", "T", "p", "CREATE", "COMPLETE", "because")
        for _ in range(7000)
    ]

    def insert(connection: Connection) -> None:
        insert_events(connection, rows)

    api.run(api.engine.database.transact(insert))
    seen: list[str] = []
    address = f"{path}/events"
    while address:
        answer = api.get(address).json()
        assert len(answer["events"]) <= 3000
        seen += [each["id"] for each in answer["events"]]
        address = next((each["href"] for each in answer.get("links", ())), "")
    assert len(seen) == len(set(seen)) == 7004
    assert {row[0] for row in rows} <= set(seen)


def test_a_large_environment_and_large_files_are_shown(api: Api) -> None:
    lines = [f"  p{number}: {'x' * 50}\n" for number in range(8000)]
    secret = HOT + "parameters: {s: {type: string, hidden: true, default: z}}\n"
    path = created(
        api,
        secret + EMPTY.removeprefix(HOT),
        files={"e.yaml": "parameter_defaults:\n" + "".join(lines), "text": "parameter\n" * 300_000},
        environment_files=["e.yaml"],
    )
    shown = api.get(f"{path}/environment", params={"origins": "true"}).json()
    assert len(shown["parameter_defaults"]) == 8000
    assert len(api.get(f"{path}/files").json()["text"]) == 3_000_000


def test_outputs_that_are_too_large_for_an_answer_tell_their_size(api: Api) -> None:
    text = "x" * 700_000
    outputs = f"outputs:\n  small: {{value: 1}}\n  a: {{value: {text}}}\n  b: {{value: {text}}}\n"
    path = created(api, EMPTY + outputs)
    shown = {each["output_key"]: each for each in api.get(path).json()["stack"]["outputs"]}
    assert shown["small"]["output_value"] == 1
    assert shown["a"]["output_value"] == text
    assert shown["b"]["output_value"] is None
    assert "700002 bytes" in shown["b"]["output_error"]
    assert api.get(f"{path}/outputs/b").json()["output"]["output_value"] == text


def test_at_most_100_problems_are_told(api: Api) -> None:
    lines = [f"  r{number}: {{type: No::Such::Type}}\n" for number in range(250)]
    body = {"stack_name": "s", "template": HOT + "resources:\n" + "".join(lines)}
    error = api.post("/stacks", json=body).json()["error"]
    assert len(error["problems"]) == 100
    assert error["message"].endswith("... and 150 more problems")


def test_tags_are_bounded(api: Api) -> None:
    body = {"stack_name": "s", "template": EMPTY, "tags": ",".join(map(str, range(101)))}
    answer = api.post("/stacks", json=body)
    assert (answer.status_code, answer.json()["error"]["message"]) == (
        400,
        "a stack has at most 100 tags, not 101",
    )
    assert api.get("/stacks", params={"tags": body["tags"]}).status_code == 400
