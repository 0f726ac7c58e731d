"""Versions of the API in addresses, and the document that lists them."""

import re
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from hotplate.api.http.endpoint import json_answer

_PREFIX = re.compile(r"^/(v\d+(?:\.\d+)?)(/.*)?$")
_KNOWN = frozenset(("v1", "v1.0"))
_WORKFLOWS = frozenset(("v2", "v2.0"))
_ACCEPTED = frozenset(
    f"application/vnd.openstack.orchestration-{version}" for version in sorted(_KNOWN)
)


@dataclass(frozen=True, slots=True)
class Version:
    """A version as the client wrote it, and the rest of the address."""

    prefix: str
    rest: str
    is_known: bool
    is_of_workflows: bool = False


def wanted_version(path: str, accept: str) -> Version | None:
    """Return the version that an address or the Accept header names; None for neither."""
    match = _PREFIX.match(path)
    if match is not None:
        name, rest = match.groups()
        if name in _WORKFLOWS:
            return Version(f"/{name}", rest or "/", is_known=True, is_of_workflows=True)
        return Version(f"/{name}", rest or "/", name in _KNOWN)
    if path in ("", "/", "/versions"):
        return Version("", "/", is_known=False)
    if {part.partition(";")[0].strip() for part in accept.split(",")} & _ACCEPTED:
        return Version("", path, is_known=True)
    return None


def versions_answer(request: Request) -> Response:
    """Return the list of versions; clients read it as `choose one of these`.

    The API of workflows is another service, not a later version of this one: discovery takes the
    highest that is listed, and would look for stacks there.
    """
    return json_answer({"versions": [_document(request, "v1.0", "/v1/")]}, 300)


def version_answer(request: Request) -> Response:
    """Return the one version that an address names.

    openstacksdk asks for it at the address that is left of an endpoint without its project.
    """
    return json_answer({"version": _document(request, "v1.0", "/v1/")})


def workflow_version_answer(request: Request) -> Response:
    """Return the version of the workflow API: what Mistral says, and what discovery looks for."""
    document = _document(request, "v2.0", "/v2/")
    href = document["links"][0]["href"]
    return json_answer({"uri": href.rstrip("/"), "version": document})


def _document(request: Request, name: str, path: str) -> dict[str, Any]:
    host = request.headers.get("host", "127.0.0.1:8004")
    href = f"{request.scope.get('scheme', 'http')}://{host}{path}"
    return {"id": name, "status": "CURRENT", "links": [{"rel": "self", "href": href}]}
