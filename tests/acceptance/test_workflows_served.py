"""The cases of the differential test on a running server, over its REST API."""

from concurrent.futures import ThreadPoolExecutor

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
