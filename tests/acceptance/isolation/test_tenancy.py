"""Two projects on one server: nothing of one is read, changed or guessed by the other.

Every route is tried with the objects of the other project: below its own address, and below the
other's. Whatever is answered, no word of the other's is in it, and all is afterwards as it was.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from hotplate.api import ENDPOINTS, WORKFLOW_ENDPOINTS
from hotplate.api.http.endpoint import Endpoint
from tests.acceptance.isolation.foreign_fuzzing import Fuzzing
from tests.acceptance.isolation.two_projects import MARK, WORKFLOW, Owner, Tenant, ok, two_projects

OPEN_NAMES = {"type_name", "template_version", "server_id"}
"""What routes name that belongs to nobody; of a server that nobody knows, a list is empty."""

FOREIGN = {
    "template": {"heat_template_version": "wallaby", "resources": {}},
    "stack_name": "mallory",
    "state": "PAUSED",
    "output": "forged",
    "mark_unhealthy": True,
    "suspend": None,
}


@pytest.fixture(scope="module")
def tenants(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Owner, Tenant]]:
    with two_projects(tmp_path_factory.mktemp("tenancy")) as both:
        yield both


def _filled(path: str, names: Mapping[str, str]) -> str:
    return re.sub(r"\{([^}]+)\}", lambda match: names[match[1]], path)


ROUTES = [
    *(pytest.param(each, False, id=f"{each.method} {each.path}") for each in ENDPOINTS),
    *(pytest.param(each, True, id=f"{each.method} /v2{each.path}") for each in WORKFLOW_ENDPOINTS),
]


@pytest.mark.parametrize(("endpoint", "is_flow"), ROUTES)
def test_no_route_leads_to_another_project(
    tenants: tuple[Owner, Tenant], endpoint: Endpoint, is_flow: bool
) -> None:
    owner, stranger = tenants
    path = _filled(endpoint.path, owner.names)
    more: dict[str, Any] = {}
    if endpoint.method in ("POST", "PUT", "PATCH"):
        if endpoint.takes_text:
            foreign = WORKFLOW.replace(MARK, "mallory")
            more = {"content": foreign, "headers": {"content-type": "text/plain"}}
        else:
            more = {"json": FOREIGN}
    if endpoint.path.endswith("/stream"):
        more["headers"] = {"accept": "text/event-stream"}
    names = {value for key, value in owner.names.items() if key != "type_name"}
    if is_flow:
        answers = [stranger.flows(endpoint.method, path, **more)]
    else:
        answers = [stranger.heat(endpoint.method, path, **more)]
        elsewhere = stranger.heat(endpoint.method, path, project=owner.tenant.project, **more)
        assert elsewhere.status_code == 403
        answers.append(elsewhere)
    asked_for = {each for each in names if each in path}
    for answer in answers:
        assert answer.status_code < 500, answer.text
        # What the stranger named itself may be repeated; all else is the other's.
        text = answer.text
        for each in sorted(asked_for, key=len, reverse=True):
            text = text.replace(each, "")
        assert MARK not in text
        if set(re.findall(r"\{([^}]+)\}", endpoint.path)) - OPEN_NAMES:
            assert answer.status_code in (302, 400, 403, 404), answer.text
    assert owner.changes() == []


def test_a_workflow_that_claims_to_be_public_runs_for_nobody_else(
    tenants: tuple[Owner, Tenant],
) -> None:
    owner, stranger = tenants
    forged = WORKFLOW.replace(MARK, "mallory").replace("mallory_flow", f"{MARK}_flow")
    text = {"content-type": "text/plain"}
    refused = stranger.flows("POST", "/workflows?scope=public", content=forged, headers=text)
    assert refused.status_code == 403
    ok(stranger.flows("POST", "/workflows", content=forged, headers=text))
    flow = {"workflow_name": f"{MARK}_flow"}
    execution = ok(owner.tenant.flows("POST", "/executions", json=flow))["id"]
    owner.task_of(execution)
    shown = owner.tenant.flows("GET", f"/executions/{execution}").text
    assert MARK in shown
    assert "mallory" not in shown
    # The others here look for that name in all that the stranger is told.
    assert stranger.flows("DELETE", f"/workflows/{MARK}_flow").status_code == 204
    owner.changes()  # those are its own; tests that come later look for others


@pytest.mark.slow
def test_no_request_that_can_be_made_up_reads_or_changes_what_another_project_has(
    tenants: tuple[Owner, Tenant],
) -> None:
    fuzzing = Fuzzing(*tenants)
    fuzzing.run(examples=2, number=20_261)
    assert not fuzzing.failures, "\n".join(fuzzing.failures)
    assert fuzzing.accepted > 20, "hardly a request was accepted"
