"""A template in the place of a type of the engine offers what that type promises."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hotplate.api.http.settings import Settings
from tests.api.conftest import Api
from tests.api.shared_api import shared_api
from tests.yaml_files import read_yaml

INVALID = Path(__file__).parents[2] / "invalid"
CASES: list[dict[str, Any]] = [
    case for case in read_yaml(INVALID / "cases.yaml") if case.get("by") == "types"
]
HEAT = {row["case"]: row["verdict"] for row in json.loads((INVALID / "heat.json").read_text())}
DECISIONS = {
    case: decision["ours"]
    for decision in read_yaml(INVALID / "decisions.yaml")
    for case in decision["cases"]
}
WRONG = [case for case in CASES if not case.get("valid")]
PLAIN = "heat_template_version: wallaby\n"


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with shared_api(tmp_path_factory.mktemp("api"), Settings()) as api:
        yield api


def named(cases: list[dict[str, Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=[case["case"] for case in cases])


def body_of(case: dict[str, Any]) -> dict[str, Any]:
    return {
        "template": (INVALID / case["file"]).read_text(),
        "environment": json.dumps(case["environment"]),
        "files": case["files"],
    }


@named(CASES)
def test_the_verdict_is_heats_or_decided_otherwise(api: Api, case: dict[str, Any]) -> None:
    expected = DECISIONS.get(case["case"], HEAT[case["case"]])
    assert expected == ("accepted" if case.get("valid") else "refused")
    answer = api.post("/validate", json=body_of(case))
    assert answer.status_code == (200 if expected == "accepted" else 400), answer.text
    preview = api.post("/stacks/preview", json={**body_of(case), "stack_name": case["case"]})
    assert preview.status_code == answer.status_code, preview.text


@named(WRONG)
def test_a_refusal_names_file_line_and_what_is_missing(api: Api, case: dict[str, Any]) -> None:
    problems = api.post("/validate", json=body_of(case)).json()["error"]["problems"]
    facade = [problem for problem in problems if "cannot stand for" in problem["message"]]
    assert len(facade) == 1
    assert (facade[0]["file"], facade[0]["line"]) == (case["in"], case["line"])
    assert facade[0]["path"] == case["path"]
    for fragment in case["says"]:
        assert fragment in facade[0]["message"].lower()


@named(WRONG)
def test_nothing_is_made_changed_or_foretold_with_such_a_template(
    api: Api, case: dict[str, Any]
) -> None:
    name = f"old-{case['case']}"
    made = api.post("/stacks", json={"stack_name": name, "template": PLAIN}).json()["stack"]["id"]
    assert api.wait(made) == "CREATE_COMPLETE"
    update = f"/stacks/{name}/{made}"
    answers = [
        api.post("/stacks", json={**body_of(case), "stack_name": case["case"]}),
        api.put(update, json=body_of(case)),
        api.patch(update, json=body_of(case)),
        api.put(f"{update}/preview", json=body_of(case)),
    ]
    for answer in answers:
        assert answer.status_code == 400
        assert "cannot stand for" in answer.text
    assert api.get("/stacks", params={"name": case["case"]}).json()["stacks"] == []
    assert api.get(update).json()["stack"]["stack_status"] == "CREATE_COMPLETE"


def test_a_template_deep_inside_is_looked_at_as_well(api: Api) -> None:
    files = {
        "outer.yaml": f"{PLAIN}resources: {{s: {{type: 'OS::Heat::RandomString'}}}}\n",
        "inner.yaml": f"{PLAIN}parameters:\n  secret: {{type: string}}\n",
    }
    body = {
        "template": f"{PLAIN}resources: {{o: {{type: outer.yaml}}}}\n",
        "environment": {"resource_registry": {"OS::Heat::RandomString": "inner.yaml"}},
        "files": files,
    }
    problems = api.post("/validate", json=body).json()["error"]["problems"]
    found = {(problem["file"], problem["path"]) for problem in problems}
    assert {("inner.yaml", "parameters.secret"), ("inner.yaml", "outputs")} <= found


def test_one_template_for_two_types_is_held_against_both(api: Api) -> None:
    template = (
        f"{PLAIN}resources:\n  a: {{type: 'OS::Heat::RandomString'}}\n"
        "  b: {type: 'OS::Heat::WaitConditionHandle'}\n"
    )
    registry = dict.fromkeys(["OS::Heat::RandomString", "OS::Heat::WaitConditionHandle"], "x.yaml")
    inner = f"{PLAIN}outputs: {{value: {{value: 1}}}}\n"
    body = {
        "template": template,
        "environment": {"resource_registry": registry},
        "files": {"x.yaml": inner},
    }
    (problem,) = api.post("/validate", json=body).json()["error"]["problems"]
    assert "OS::Heat::WaitConditionHandle" in problem["message"]
    assert '"curl_cli"' in problem["message"]


def test_what_is_mapped_to_a_type_of_the_engine_is_no_template(api: Api) -> None:
    body = {
        "template": f"{PLAIN}resources: {{s: {{type: 'OS::Heat::RandomString'}}}}\n",
        "environment": {"resource_registry": {"OS::Heat::RandomString": "OS::Heat::None"}},
    }
    assert api.post("/validate", json=body).status_code == 200


THING = """\
heat_template_version: 2021-04-16
parameters:
  one: {type: string}
  two: {type: string}
resources: {}
outputs:
  shown: {value: ""}
"""


@pytest.mark.parametrize(
    ("concrete", "said"),
    [
        (
            THING.replace("  two: {type: string}\n", ""),
            "Required property two for facade My::Thing missing in provider",
        ),
        (
            THING.partition("outputs:")[0],
            "Attribute shown for facade My::Thing missing in provider",
        ),
        (THING, ""),
    ],
)
def test_a_template_for_one_resource_keeps_up_what_that_for_its_type_promises(
    api: Api, concrete: str, said: str
) -> None:
    given = {name: "x" for name in ("one", "two") if f"  {name}:" in concrete}
    thing = {"type": "My::Thing", "properties": given}
    registry = {"My::Thing": "facade.yaml", "resources": {"it": {"My::Thing": "concrete.yaml"}}}
    body = {
        "stack_name": "s",
        "template": {"heat_template_version": "2021-04-16", "resources": {"it": thing}},
        "environment": {"resource_registry": registry},
        "files": {"facade.yaml": THING, "concrete.yaml": concrete},
    }
    answer = api.post("/stacks", json=body)
    if said:
        assert answer.status_code == 400
        assert answer.json()["error"]["message"] == said
    else:
        assert answer.status_code == 201, answer.text
