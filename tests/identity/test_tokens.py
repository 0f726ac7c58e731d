"""Tokens of a real Keystone: who is let in, who is not, and what they are told."""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.acceptance.serving import Served, serving
from tests.identity.conftest import Client, Town, configuration
from tests.identity.counting_proxy import CountingProxy
from tests.identity.people import Keystone

TEMPLATE = {"heat_template_version": "wallaby", "resources": {}}


def made(client: Client, name: str) -> int:
    body = {"stack_name": name, "template": TEMPLATE}
    return int(client.ask("POST", "/stacks", json=body).status_code)


def named(client: Client, name: str, path: str = "/stacks") -> list[dict[str, Any]]:
    """Return the stacks of that name in a listing."""
    return [each for each in client.get(path).json()["stacks"] if each["stack_name"] == name]


def test_a_member_works_in_their_project_and_a_reader_only_looks(
    served: Served, keystone: Keystone, town: Town
) -> None:
    member = Client(served, town.first, keystone.token(town.member))
    reader = Client(served, town.first, keystone.token(town.reader))
    assert made(member, "by-member") == 201
    assert made(reader, "by-reader") == 403
    (stack,) = named(reader, "by-member")
    assert stack["stack_owner"] == town.member.name
    refused = reader.ask("DELETE", f"/stacks/by-member/{stack['id']}").json()["error"]
    assert refused["type"] == "Forbidden"
    assert refused["message"] == "You are not authorized to use stacks:delete."
    assert member.ask("DELETE", f"/stacks/by-member/{stack['id']}").status_code == 204


def test_without_a_token_clients_learn_where_to_get_one(served: Served, town: Town) -> None:
    for path in ("/stacks", "/no/such/path"):
        answer = Client(served, town.first).get(path)
        assert answer.status_code == 401
        uri = 'Keystone uri="http://keystone.example.org/v3"'
        assert answer.headers["www-authenticate"] == uri
        assert answer.json()["error"]["code"] == 401


def test_the_owner_is_whose_token_it_is_whatever_else_the_request_says(
    served: Served, keystone: Keystone, town: Town
) -> None:
    forged = {"x_auth_user": "root", "x_roles": "admin", "x_user_id": town.admin.id}
    client = Client(served, town.first, keystone.token(town.member), **forged)
    assert made(client, "forged") == 201
    (stack,) = named(client, "forged")
    assert stack["stack_owner"] == town.member.name
    assert client.status("/services") == 403
    client.ask("DELETE", f"/stacks/forged/{stack['id']}")


def test_a_token_is_good_for_its_own_project_alone(
    served: Served, keystone: Keystone, town: Town
) -> None:
    stranger = Client(served, town.second, keystone.token(town.stranger))
    assert stranger.status() == 200
    refused = stranger.get(project=town.first)
    assert refused.status_code == 403
    assert refused.json()["error"]["type"] == "HTTPForbidden"
    unscoped = Client(served, town.second, keystone.token(town.stranger, "unscoped"))
    assert unscoped.status() == 403


def test_an_administrator_sees_other_projects_when_asking_for_it(
    served: Served, keystone: Keystone, town: Town
) -> None:
    member = Client(served, town.first, keystone.token(town.member))
    assert made(member, "theirs") == 201
    admin = Client(served, town.admin.project, keystone.token(town.admin))
    assert named(admin, "theirs") == []
    (theirs,) = named(admin, "theirs", "/stacks?global_tenant=true")
    assert theirs["project"] == town.first.id
    path = f"/stacks/theirs/{theirs['id']}"
    assert admin.status("/stacks/theirs") == 404
    found = admin.get(f"/stacks/{theirs['id']}")
    assert found.status_code == 302
    assert found.headers["location"].endswith(f"/v1/{town.admin.project.id}{path}")
    for project in (town.admin.project, town.first):
        shown = admin.get(path, project)
        assert shown.status_code == 200
        assert f"/{town.first.id}/stacks" in shown.json()["stack"]["links"][0]["href"]
    assert admin.status(f"{path}/resources") == 200
    stranger = Client(served, town.second, keystone.token(town.stranger))
    assert stranger.status(path) == 404
    assert stranger.status(f"/stacks/{theirs['id']}") == 404
    assert member.status("/stacks?global_tenant=true") == 403
    assert admin.ask("DELETE", path).status_code == 204


def test_application_credentials_are_good_for_what_their_rules_allow(
    served: Served, keystone: Keystone, town: Town
) -> None:
    plain = keystone.application_credential(town.member)
    client = Client(served, town.first, keystone.token_of_credential(plain))
    assert made(client, "by-credential") == 201
    rules = [
        {"service": "orchestration", "method": "GET", "path": "/v1/*/stacks"},
        {"service": "compute", "method": "POST", "path": "/v1/*/stacks"},
    ]
    ruled = keystone.application_credential(town.member, access_rules=rules)
    client = Client(served, town.first, keystone.token_of_credential(ruled))
    assert client.status("/stacks") == 200
    assert client.status("/software_configs") == 401
    assert made(client, "not-allowed") == 401
    reader = {"roles": [{"name": "reader"}]}
    weak = keystone.application_credential(town.member, **reader)
    client = Client(served, town.first, keystone.token_of_credential(weak))
    assert client.status("/stacks") == 200
    assert made(client, "not-allowed") == 403


def test_a_trustee_speaks_as_the_one_who_trusts(
    served: Served, keystone: Keystone, town: Town
) -> None:
    trust = {
        "trustor_user_id": town.member.id,
        "trustee_user_id": town.stranger.id,
        "project_id": town.first.id,
        "impersonation": True,
        "roles": [{"name": "member"}],
    }
    asked = {"X_Auth_Token": keystone.token(town.member)}
    made_trust = keystone.ask("POST", "/OS-TRUST/trusts", {"trust": trust}, **asked)["trust"]
    scope = {"OS-TRUST:trust": {"id": made_trust["id"]}}
    client = Client(served, town.first, keystone.token(town.stranger, scope))
    assert made(client, "by-trust") == 201
    (stack,) = named(client, "by-trust")
    assert stack["stack_owner"] == town.member.name


def test_an_expired_token_is_refused_though_it_was_good_before(
    served: Served, keystone: Keystone, town: Town
) -> None:
    end = datetime.now(UTC) + timedelta(seconds=8)
    short = keystone.application_credential(town.member, expires_at=f"{end:%Y-%m-%dT%H:%M:%S.%f}")
    token = keystone.token_of_credential(short)
    client = Client(served, town.first, token)
    assert client.status() == 200
    while datetime.now(UTC) < end + timedelta(seconds=1):
        time.sleep(0.1)
    assert client.status() == 401


def test_a_service_token_needs_the_role(served: Served, keystone: Keystone, town: Town) -> None:
    token, service = keystone.token(town.member), keystone.token(town.service)
    assert Client(served, town.first, token, x_service_token=service).status() == 200
    other = keystone.token(town.stranger)
    assert Client(served, town.first, token, x_service_token=other).status() == 401
    assert Client(served, town.first, token, x_service_token="nonsense").status() == 401


def test_a_revoked_token_is_refused_within_the_time_that_is_set(
    keystone: Keystone, town: Town, proxy: CountingProxy, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = configuration(
        tmp_path_factory.mktemp("server"), town, proxy.url, "remember_seconds = 1\n"
    )
    with serving("--config", str(file)) as served:
        token = keystone.token(town.member)
        client = Client(served, town.first, token)
        assert client.status() == 200
        keystone.revoke(token)
        end = time.monotonic() + 30
        while client.status() != 401:
            assert time.monotonic() < end
            time.sleep(0.2)


def test_while_keystone_is_away_nobody_new_is_let_in(
    served: Served, keystone: Keystone, town: Town, proxy: CountingProxy
) -> None:
    known = Client(served, town.first, keystone.token(town.member))
    assert known.status() == 200
    new = Client(served, town.first, keystone.token(town.reader))
    proxy.go()
    try:
        assert known.status() == 200
        answer = new.get()
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "5"
        assert answer.json()["error"]["type"] == "HTTPServiceUnavailable"
    finally:
        proxy.come()
    end = time.monotonic() + 30
    while new.status() != 200:
        assert time.monotonic() < end
        time.sleep(0.2)
