import json
from typing import Any

import pytest
from starlette.requests import Request

from hotplate.api.http.faults import Fault
from hotplate.server.access.keystone.identify import KeystoneIdentity
from tests.unit.server.access.keystone.small_keystone import (
    BEGIN,
    CATALOG,
    SmallKeystone,
    in_a_loop,
    settings,
    shown,
    token,
)

ADMIN = token(roles=[{"id": "r3", "name": "admin"}], project={"id": "p0", "name": "admin"})
SERVICE = token(roles=[{"id": "r4", "name": "service"}])
EXPIRED = token(expires_at=shown(BEGIN - 1))


def request(method: str = "GET", path: str = "/v1/p1/stacks", **headers: str) -> Request:
    raw = [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
    return Request({"type": "http", "method": method, "path": path, "headers": raw})


def identity(**tokens: dict[str, Any]) -> KeystoneIdentity:
    keystone = SmallKeystone(**tokens)
    return KeystoneIdentity(settings(), keystone, keystone.now)


async def refusal(identify: KeystoneIdentity, asked: Request, project: str | None = "p1") -> Fault:
    with pytest.raises(Fault) as fault:
        await identify(asked, project)
    return fault.value


@in_a_loop
async def test_the_token_tells_who_asks_and_what_they_have() -> None:
    caller = await identity(a=token())(request(x_auth_token=" a "), "p1")
    assert (caller.user, caller.project, caller.is_admin) == ("alice", "p1", False)
    assert caller.roles == {"member", "reader"}
    found = caller.credentials
    assert found is not None
    assert (found.token, found.expires) == ("a", BEGIN + 3600)
    assert (found.user_id, found.user_domain, found.project_name) == ("u1", "default", "first")
    assert found.role_ids == ("r1", "r2")
    assert list(found.catalog) == CATALOG
    assert not found.is_delegated
    assert '"a"' not in repr(found)


@in_a_loop
async def test_a_federated_user_is_let_in_and_known_to_be_one() -> None:
    provider = {"identity_provider": {"id": "idp"}, "protocol": {"id": "mapped"}, "groups": []}
    user = {"id": "f1", "name": "fred", "domain": {"id": "default"}, "OS-FEDERATION": provider}
    federated = token(user=user, methods=["mapped", "token"])
    caller = await identity(a=federated)(request(x_auth_token="a"), "p1")
    assert caller.user == "fred"
    assert caller.roles == {"member", "reader"}
    assert caller.credentials is not None
    assert (caller.credentials.is_federated, caller.credentials.is_delegated) == (True, False)


@in_a_loop
async def test_without_a_project_in_the_address_it_is_that_of_the_token() -> None:
    caller = await identity(a=token())(request(x_storage_token="a"), None)
    assert caller.project == "p1"


@in_a_loop
async def test_headers_that_say_who_asks_are_not_believed() -> None:
    forged = {"x_roles": "admin", "x_user_id": "root", "x_project_id": "p2"}
    asked = request(x_auth_token="a", x_auth_user="root", x_identity_status="Confirmed", **forged)
    caller = await identity(a=token())(asked, "p1")
    assert (caller.user, caller.project, caller.is_admin) == ("alice", "p1", False)
    fault = await refusal(identity(), request(**forged))
    assert fault.status == 401


@pytest.mark.parametrize("text", ["", " ", "unknown", "expired"])
@in_a_loop
async def test_without_a_good_token_clients_are_told_where_to_log_in(text: str) -> None:
    fault = await refusal(identity(expired=EXPIRED), request(x_auth_token=text))
    assert fault.status == 401
    assert fault.headers == {"www-authenticate": 'Keystone uri="http://keystone/v3"'}
    message = "The request you have made requires authentication."
    wanted = {"error": {"code": 401, "title": "Unauthorized", "message": message}}
    assert fault.document() == fault.mistral_document() == wanted


@pytest.mark.parametrize(
    "changes", [{"project": {"id": "p2"}}, {"project": None}, {"project": None, "system": {}}]
)
@in_a_loop
async def test_a_token_for_another_project_or_none_is_refused(changes: dict[str, Any]) -> None:
    fault = await refusal(identity(a=token(**changes)), request(x_auth_token="a"))
    assert (fault.status, fault.kind) == (403, "HTTPForbidden")
    assert fault.message == "Access was denied to this resource."


@in_a_loop
async def test_an_administrator_is_let_into_the_project_of_the_address() -> None:
    caller = await identity(a=ADMIN)(request(x_auth_token="a"), "p1")
    assert (caller.project, caller.is_admin) == ("p1", True)
    assert caller.credentials is not None
    assert caller.credentials.project_id == "p0"


@in_a_loop
async def test_the_role_counts_only_in_the_project_of_administrators_if_there_is_one() -> None:
    fault = await refusal(
        identity(a={**ADMIN, "is_admin_project": False}), request(x_auth_token="a")
    )
    assert fault.status == 403


@in_a_loop
async def test_while_keystone_is_away_requests_may_come_again() -> None:
    keystone = SmallKeystone()
    keystone.status = 503
    identify = KeystoneIdentity(settings(), keystone, keystone.now)
    fault = await refusal(identify, request(x_auth_token="a"))
    assert (fault.status, fault.headers) == (503, {"retry-after": "5"})
    assert json.dumps(fault.document())


@in_a_loop
async def test_a_service_may_send_requests_on_with_tokens_that_have_expired() -> None:
    identify = identity(a=EXPIRED, s=SERVICE)
    caller = await identify(request(x_auth_token="a", x_service_token="s"), "p1")
    assert caller.user == "alice"


@pytest.mark.parametrize("service", ["unknown", "member"])
@in_a_loop
async def test_a_service_token_that_is_none_spoils_a_good_token(service: str) -> None:
    identify = identity(a=token(), member=token())
    fault = await refusal(identify, request(x_auth_token="a", x_service_token=service))
    assert fault.status == 401


RESTRICTED = token(
    methods=["application_credential"],
    application_credential={
        "restricted": True,
        "access_rules": [
            {"service": "orchestration", "method": "GET", "path": "/v1/{project}/stacks/**"},
            {"service": "orchestration", "method": "GET", "path": "/v1/*/stacks"},
            {"service": "compute", "method": "POST", "path": "/v1/**"},
        ],
    },
)


@pytest.mark.parametrize(
    ("method", "path", "is_allowed"),
    [
        ("GET", "/v1/p1/stacks", True),
        ("GET", "/v1/p1/stacks/a/b/resources", True),
        ("POST", "/v1/p1/stacks", False),
        ("GET", "/v1/p1/software_configs", False),
        ("GET", "/v1/p1/q/stacks", False),
    ],
)
@in_a_loop
async def test_access_rules_of_an_application_credential_hold(
    method: str, path: str, is_allowed: bool
) -> None:
    identify = identity(a=RESTRICTED, s=SERVICE)
    asked = request(method, path, x_auth_token="a")
    if is_allowed:
        assert (await identify(asked, "p1")).credentials is not None
    else:
        assert (await refusal(identify, asked)).status == 401
    waived = request(method, path, x_auth_token="a", x_service_token="s")
    assert (await identify(waived, "p1")).user == "alice"


@pytest.mark.parametrize(
    ("changes", "delegation"),
    [
        ({"application_credential": {"id": "c", "restricted": False}}, "c"),
        ({"OS-TRUST:trust": {"id": "t"}}, "t"),
        ({"methods": ["ec2credential"]}, ""),
    ],
)
@in_a_loop
async def test_what_was_delegated_is_known_as_such(
    changes: dict[str, Any], delegation: str
) -> None:
    caller = await identity(a=token(**changes))(request(x_auth_token="a"), "p1")
    assert caller.credentials is not None
    assert caller.credentials.is_delegated
    assert caller.credentials.delegation == delegation


@pytest.mark.parametrize(("asked", "region"), [("R1", "R1"), ("nonsense", "")])
@in_a_loop
async def test_a_region_counts_if_the_catalog_has_it(asked: str, region: str) -> None:
    caller = await identity(a=token())(request(x_auth_token="a", x_region_name=asked), "p1")
    assert caller.credentials is not None
    assert caller.credentials.region == region
