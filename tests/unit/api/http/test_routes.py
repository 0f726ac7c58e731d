"""Which endpoint an address belongs to."""

import pytest
from starlette.responses import Response

from hotplate.api.endpoints import ENDPOINTS
from hotplate.api.http.endpoint import Call, Endpoint
from hotplate.api.http.routes import Routes


async def _answer(call: Call) -> Response:
    raise NotImplementedError


def _endpoint(method: str, path: str) -> Endpoint:
    return Endpoint(method, path, _answer, "", "", rule="")


def test_methods_of_one_address_belong_together() -> None:
    routes = Routes([_endpoint("GET", "/a/{b}"), _endpoint("PUT", "/a/{b}")])
    found = routes.find("/a/x y")
    assert found is not None
    assert set(found.methods) == {"GET", "PUT"}
    assert found.path == {"b": "x y"}
    assert routes.find("/a/x/y") is None
    assert routes.find("/a/") is None


def test_the_earlier_of_two_that_fit_counts() -> None:
    routes = Routes([_endpoint("GET", "/a/known"), _endpoint("GET", "/a/{b}")])
    found = routes.find("/a/known")
    assert found is not None
    assert found.path == {}


def test_a_variable_may_stand_for_the_rest() -> None:
    found = Routes([_endpoint("GET", "/a/{b:path}")]).find("/a/x/y")
    assert found is not None
    assert found.path == {"b": "x/y"}


def test_nothing_is_declared_twice() -> None:
    with pytest.raises(ValueError, match="GET /a is declared twice"):
        Routes([_endpoint("GET", "/a"), _endpoint("GET", "/a")])


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("/stacks/detail", "/stacks/detail"),
        ("/stacks/preview", "/stacks/preview"),
        ("/stacks/name", "/stacks/{name_or_id}"),
        ("/stacks/name/resources", "/stacks/{name_or_id}/resources"),
        ("/stacks/name/id", "/stacks/{stack_name}/{stack_id}"),
        ("/stacks/arn:openstack:heat::p:stacks/n/i", "/stacks/arn:{arn:path}"),
        (
            "/stacks/n/i/events/stream",
            "/stacks/{stack_name}/{stack_id}/events/stream",
        ),
        (
            "/software_deployments/metadata/s",
            "/software_deployments/metadata/{server_id}",
        ),
    ],
)
def test_addresses_that_look_alike_are_told_apart(address: str, path: str) -> None:
    found = Routes(ENDPOINTS).find(address)
    assert found is not None
    assert {endpoint.path for endpoint in found.methods.values()} == {path}
