"""Methods and addresses that nothing answers to, and projects that a token does not open."""

import httpx
import pytest

from hotplate.api.endpoints import ENDPOINTS
from hotplate.api.http.endpoint import Endpoint
from hotplate.server.access.admission import Admission
from hotplate.server.access.identity import digest_of_token
from hotplate.server.access.token_file import Holder, TokenFile
from hotplate.server.access.watched import Watched
from hotplate.server.service import application
from tests.api.bad_requests.endpoints import body_of, name_of
from tests.api.bad_requests.stage import FILES, NOBODY, TEMPLATE, Stage, refused
from tests.api.conftest import PROJECT

PATHS = sorted({endpoint.path for endpoint in ENDPOINTS})


@pytest.mark.parametrize("path", PATHS)
def test_other_methods_are_refused_and_the_right_ones_told(stage: Stage, path: str) -> None:
    address = stage.address(path)
    possible = {endpoint.method for endpoint in ENDPOINTS if endpoint.path == path}
    told = stage.api.request("OPTIONS", address)
    assert (told.status_code, told.content) == (204, b"")
    assert set(told.headers["allow"].split(", ")) == {*possible, "OPTIONS"}
    for method in sorted({"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW"} - possible):
        response = stage.api.request(method, address)
        refused(response, 405, method)
        assert response.headers["allow"] == told.headers["allow"]


@pytest.mark.parametrize("variable", ["stack_name", "stack_id"])
@pytest.mark.parametrize(
    "endpoint", [each for each in ENDPOINTS if "{stack_id}" in each.path], ids=name_of
)
def test_an_unknown_stack_is_named(stage: Stage, endpoint: Endpoint, variable: str) -> None:
    for value in ("not-here", NOBODY):
        address = stage.address(endpoint.path, **{variable: value})
        body = None if endpoint.body is None else {**body_of(endpoint), "template": TEMPLATE}
        if endpoint.body is not None and endpoint.body.closed:
            body = body_of(endpoint)
        response = stage.api.request(endpoint.method, address, json=body)
        refused(response, 404, "Stack", value, kind="EntityNotFound")


@pytest.mark.parametrize(
    ("method", "path", "name"),
    [
        ("GET", "/stacks/{x}", "name_or_id"),
        ("DELETE", "/stacks/{x}", "name_or_id"),
        ("GET", "/stacks/{x}/resources", "name_or_id"),
        ("GET", "{stack}/resources/{x}", "resource_name"),
        ("GET", "{stack}/resources/{x}/metadata", "resource_name"),
        ("GET", "{stack}/resources/{x}/events", "resource_name"),
        ("POST", "{stack}/resources/{x}/signal", "resource_name"),
        ("GET", "{stack}/resources/one/events/{x}", "event_id"),
        ("GET", "{stack}/snapshots/{x}", "snapshot_id"),
        ("DELETE", "{stack}/snapshots/{x}", "snapshot_id"),
        ("POST", "{stack}/snapshots/{x}/restore", "snapshot_id"),
        ("GET", "{stack}/outputs/{x}", "output_key"),
        ("GET", "/resource_types/{x}", "type_name"),
        ("GET", "/resource_types/{x}/template", "type_name"),
        ("GET", "/template_versions/{x}/functions", "template_version"),
        ("GET", "/software_configs/{x}", "config_id"),
        ("DELETE", "/software_configs/{x}", "config_id"),
        ("GET", "/software_deployments/{x}", "deployment_id"),
        ("DELETE", "/software_deployments/{x}", "deployment_id"),
    ],
)
def test_unknown_names_are_named(stage: Stage, method: str, path: str, name: str) -> None:
    for unknown in (NOBODY, "größer", "x" * 300):
        address = path.format(stack=stage.stack, x=unknown)
        refused(stage.api.request(method, address), 404, unknown)


@pytest.mark.parametrize("path", ["/nowhere", "/stacks/here/x/y/z", ""])
def test_an_address_of_nothing_is_told_in_plain_text(stage: Stage, path: str) -> None:
    response = stage.api.get(path)
    assert (response.status_code, response.text) == (404, "Not Found")
    assert response.headers["content-type"].startswith("text/plain")


def test_tokens_open_one_project_and_no_other(stage: Stage) -> None:
    identify = TokenFile(Watched(list, lambda: {digest_of_token("open"): Holder("me", "mine")}))
    app = application(stage.api.engine, Admission(identify))
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    body = {"stack_name": "new", "template": TEMPLATE, "files": FILES}

    async def ask(project: str, token: str | None) -> httpx.Response:
        headers = {} if token is None else {"x-auth-token": token}
        async with httpx.AsyncClient(transport=transport) as client:
            address = f"http://testserver/v1/{project}/stacks"
            return await client.post(address, json=body, headers=headers)

    without = stage.api.run(ask("mine", None))
    refused(without, 401, "X-Auth-Token")
    assert without.headers["www-authenticate"]
    refused(stage.api.run(ask("mine", "wrong")), 401)
    refused(stage.api.run(ask(PROJECT, "open")), 403, PROJECT, kind="Forbidden")
