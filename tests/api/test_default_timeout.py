"""How long operations may take on a stack that was made without saying so."""

import json
from pathlib import Path
from typing import Any

import pytest

from hotplate.api.http.settings import Settings
from tests.api.conftest import Api
from tests.api.shared_api import shared_api

PLAIN = {"heat_template_version": "2021-04-16"}


@pytest.mark.parametrize(
    ("setting", "given", "minutes"),
    [(0, {}, None), (60, {}, 60), (60, {"timeout_mins": 5}, 5), (60, {"timeout_mins": 0}, None)],
)
def test_the_setting_counts_where_the_request_says_nothing(
    tmp_path: Path, setting: int, given: dict[str, Any], minutes: int | None
) -> None:
    with shared_api(tmp_path, Settings(default_timeout=setting)) as api:
        answer = api.post("/stacks", json={"stack_name": "s", "template": PLAIN, **given})
        path = f"/stacks/s/{answer.json()['stack']['id']}"
        assert api.get(path).json()["stack"]["timeout_mins"] == minutes


def test_a_stack_inside_shows_the_timeout_that_holds_for_it(api: Api) -> None:
    inner = {
        "heat_template_version": "2021-04-16",
        "resources": {"leaf": {"type": "OS::Heat::RandomString"}},
    }
    group = {"count": 1, "resource_def": {"type": "inner.yaml"}}
    own = {"template": json.dumps(inner), "timeout": 3}
    template = {
        "heat_template_version": "2021-04-16",
        "resources": {
            "group": {"type": "OS::Heat::ResourceGroup", "properties": group},
            "own": {"type": "OS::Heat::Stack", "properties": own},
        },
    }
    body = {"stack_name": "s", "template": template, "timeout_mins": 10}
    answer = api.post("/stacks", json={**body, "files": {"inner.yaml": json.dumps(inner)}})
    stack_id = answer.json()["stack"]["id"]
    assert api.wait(stack_id) == "CREATE_COMPLETE"
    listed = api.get(f"/stacks/s/{stack_id}/resources?nested_depth=2").json()["resources"]
    minutes = {}
    for item in listed:
        for link in item["links"]:
            if link["rel"] == "nested":
                shown = api.get(link["href"]).json()["stack"]
                minutes[item["resource_name"]] = shown["timeout_mins"]
    assert minutes == {"group": 10, "0": 10, "own": 3}
