"""Two projects and three roles on one server: no route leads where the token does not."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from hotplate.api import ENDPOINTS, WORKFLOW_ENDPOINTS
from hotplate.api.http.endpoint import Endpoint
from hotplate.policy import Policy
from tests.acceptance.isolation import test_tenancy as tenancy
from tests.acceptance.isolation.two_projects import MARK, WORKFLOW, Owner, Tenant
from tests.acceptance.serving import Served
from tests.identity.conftest import Town
from tests.identity.people import Keystone

LISTED = {"reader": ("reader",), "member": ("member", "reader")}
OWN = ("actions:", "stacks:update_")


@pytest.fixture(scope="module")
def people(served: Served, keystone: Keystone, town: Town) -> Iterator[dict[str, Any]]:
    """One of everything, made by the member; and clients of all roles."""
    tokens = {
        name: keystone.token(getattr(town, name))
        for name in ("member", "reader", "admin", "stranger")
    }
    member = Tenant(served, town.first.id, tokens["member"])
    found: dict[str, Any] = {
        "owner": Owner(member),
        "reader": Tenant(served, town.first.id, tokens["reader"]),
        "stranger": Tenant(served, town.second.id, tokens["stranger"]),
        "admin": Tenant(served, town.admin.project.id, tokens["admin"]),
    }
    yield found
    for each in (member, found["reader"], found["stranger"], found["admin"]):
        each.close()


def _body(endpoint: Endpoint) -> dict[str, Any]:
    if endpoint.method not in ("POST", "PUT", "PATCH"):
        return {}
    if endpoint.takes_text:
        text = WORKFLOW.replace(MARK, "mallory")
        return {"content": text, "headers": {"content-type": "text/plain"}}
    return {"json": tenancy.FOREIGN}


@pytest.mark.parametrize(("endpoint", "is_flow"), tenancy.ROUTES)
def test_no_route_leads_to_another_project(
    people: dict[str, Any], endpoint: Endpoint, is_flow: bool
) -> None:
    owner: Owner = people["owner"]
    before = owner.all()
    path = tenancy._filled(endpoint.path, owner.names)
    more = _body(endpoint)
    if endpoint.path.endswith("/stream"):
        more["headers"] = {"accept": "text/event-stream"}
    stranger, admin = people["stranger"], people["admin"]
    if is_flow:
        answers = [each.flows(endpoint.method, path, **more) for each in (stranger, admin)]
    else:
        elsewhere = stranger.heat(endpoint.method, path, project=owner.tenant.project, **more)
        assert elsewhere.status_code == 403
        answers = [elsewhere, stranger.heat(endpoint.method, path, **more)]
        # An administrator has to name the project, or the stack by its id.
        if "{stack_id}" not in endpoint.path and "{name_or_id}" not in endpoint.path:
            answers.append(admin.heat(endpoint.method, path, **more))
    asked = {value for key, value in owner.names.items() if key != "type_name" and value in path}
    for answer in answers:
        assert answer.status_code < 500, answer.text
        text = answer.text
        for each in sorted(asked, key=len, reverse=True):
            text = text.replace(each, "")
        assert MARK not in text
        if set(re.findall(r"\{([^}]+)\}", endpoint.path)) - tenancy.OPEN_NAMES:
            assert answer.status_code in (302, 400, 403, 404), answer.text
    assert owner.all() == before


@pytest.mark.parametrize(
    ("endpoint", "is_flow"),
    [
        pytest.param(each, is_flow, id=f"{each.method} {'/v2' if is_flow else ''}{each.path}")
        for is_flow, endpoints in ((False, ENDPOINTS), (True, WORKFLOW_ENDPOINTS))
        for each in endpoints
        if not each.path.endswith("/stream")
    ],
)
def test_a_reader_does_what_the_policy_lets_readers_do(
    people: dict[str, Any], endpoint: Endpoint, is_flow: bool
) -> None:
    policy = Policy.of()
    caller = {"roles": frozenset(("reader",)), "project_id": "p", "is_admin_project": True}
    more = _body(endpoint)
    if "json" in more:
        # One that can be read, and changes nothing where it is allowed.
        more["json"] = {"check": None} if endpoint.path.endswith("/actions") else more["json"]
    rule = endpoint.rule_of(more.get("json") or {})
    is_allowed = policy.allows(rule, caller, {"project_id": "p"})
    owner: Owner = people["owner"]
    path = tenancy._filled(endpoint.path, owner.names)
    reader: Tenant = people["reader"]
    if is_allowed and endpoint.method != "GET":
        return  # signals and checks: their own tests
    ask = reader.flows if is_flow else reader.heat
    answer = ask(endpoint.method, path, **more)
    assert answer.status_code < 500, answer.text
    if not is_allowed:
        assert answer.status_code in (400, 403), answer.text
        if answer.status_code == 403 and "not authorized to use stacks:" in answer.text:
            assert f"not authorized to use {rule}" in answer.text
    else:
        assert answer.status_code in (200, 302, 400, 404), answer.text
