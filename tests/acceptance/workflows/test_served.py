"""The cases of the differential test on a running server, over its REST API."""

from concurrent.futures import ThreadPoolExecutor

import httpx

from tests.acceptance.serving import serving
from tests.workflows.case import Case
from tests.workflows.over_api import WorkflowApi
from tests.workflows.test_recorded import CASES, expected

AT_ONCE = 8


def test_the_cases_come_to_the_same_over_the_api_of_a_server() -> None:
    with (
        serving() as server,
        WorkflowApi(f"{server.url}/v2") as client,
        ThreadPoolExecutor(AT_ONCE) as pool,
    ):
        found = list(pool.map(client.run, CASES))
    assert dict(zip((case.name for case in CASES), found, strict=True)) == {
        case.name: expected(case) for case in CASES
    }


def test_a_run_may_fail_before_its_sub_workflow_has_begun() -> None:
    case = Case(
        name="unborn",
        file="",
        workflows="""
version: '2.0'
sub: {tasks: {s: {action: std.async_noop}}}
w:
  tasks:
    first: {action: std.noop, on-success: fail}
    second: {workflow: sub}
""",
    )
    with serving() as server, WorkflowApi(f"{server.url}/v2") as client:
        found = client.run(case)
    assert (found["state"], found["tasks"]["first"]) == ("ERROR", ["SUCCESS"])
    assert found["tasks"]["second"] == ["CANCELLED"]


def test_the_graph_of_an_execution_tells_which_task_leads_to_which() -> None:
    text = """
version: '2.0'
w:
  tasks:
    first: {action: std.noop, on-success: [second, fail: <% false %>], on-error: third}
    second: {workflow: sub}
    third: {join: all, action: std.noop}
sub: {tasks: {s: {action: std.noop}}}
"""
    with serving() as server, httpx.Client(base_url=f"{server.url}/v2") as client:
        plain = {"content-type": "text/plain"}
        assert client.post("/workflows", content=text, headers=plain).status_code == 201
        begun = client.post("/executions", json={"workflow_name": "w"}).json()
        # It is that of the workflow as it was, whatever becomes of the definition.
        assert client.delete("/workflows/w").status_code == 204
        graph = client.get(f"/executions/{begun['id']}/graph").json()
        unknown = client.get("/executions/00000000-0000-0000-0000-000000000000/graph")
    assert unknown.status_code == 404
    assert not graph["is_reverse"]
    ways = {
        task["name"]: [(each["event"], each["name"], each["guard"]) for each in task["next"]]
        for task in graph["tasks"]
    }
    assert ways == {
        "first": [
            ("on-success", "second", ""),
            ("on-success", "fail", "<% false %>"),
            ("on-error", "third", ""),
        ],
        "second": [],
        "third": [],
    }
    assert [(task["type"], task["call"], task["join"]) for task in graph["tasks"]] == [
        ("ACTION", "std.noop", None),
        ("WORKFLOW", "sub", None),
        ("ACTION", "std.noop", "all"),
    ]
