"""Endpoints by name, with bodies that they take."""

from typing import Any

from hotplate.api.endpoints import ENDPOINTS
from hotplate.api.http.endpoint import Endpoint

FITTING = {
    "stack_name": "new",
    "config_id": "c",
    "server_id": "server",
    "mark_unhealthy": True,
    "files": {},
}
WITH_BODY = [endpoint for endpoint in ENDPOINTS if endpoint.body is not None]


def name_of(endpoint: Endpoint) -> str:
    return f"{endpoint.method} {endpoint.path}"


def body_of(endpoint: Endpoint) -> dict[str, Any]:
    assert endpoint.body is not None
    return {
        declared.name: FITTING[declared.name]
        for declared in endpoint.body.fields
        if declared.required
    }
