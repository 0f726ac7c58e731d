"""Addresses that name a stack in another way, answered with the canonical address."""

from urllib.parse import quote

from starlette.responses import Response

from hotplate.api.http.addressed_stack import named_stack
from hotplate.api.http.endpoint import Call, Endpoint, moved_answer
from hotplate.engine.refusals import Entity, NotFound
from hotplate.model import Stack

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_READ = ("resources", "events", "template", "actions", "environment", "files", "outputs", "tree")
_POSTED = ("resources", "events", "template", "actions")


async def _by_name(call: Call) -> Response:
    stack = await named_stack(call, call.path["name_or_id"])
    return _moved(call, _address(call, stack))


async def _by_arn(call: Call) -> Response:
    """Take `openstack:heat::PROJECT:stacks/NAME/ID` and what follows it apart, without a query."""
    head, found, rest = call.path["arn"].partition(":stacks/")
    project = head.rpartition(":")[2]
    parts = rest.split("/")
    if not found or len(parts) < 2 or not all(parts) or project != call.project:
        raise NotFound(Entity.STACK, f"arn:{call.path['arn']}")
    name, stack_id, *more = (quote(part, safe="~") for part in parts)
    base = f"{call.links.base}/{quote(project, safe='~')}/stacks"
    return _moved(call, "/".join([base, name, stack_id, *more]))


def _part(name: str) -> Endpoint:
    async def moved(call: Call) -> Response:
        stack = await named_stack(call, call.path["name_or_id"])
        return _moved(call, f"{_address(call, stack)}/{name}")

    return Endpoint(
        "GET",
        f"/stacks/{{name_or_id}}/{name}",
        moved,
        f"Find the {name} of a stack by its name or id",
        "stacks",
        answers={302: None},
        rule="stacks:lookup",
    )


def _address(call: Call, stack: Stack) -> str:
    """Return the address of a stack, below the project that was asked: clients go nowhere else."""
    return call.links.stack(call.project, stack.name, stack.id)


def _moved(call: Call, location: str) -> Response:
    query = call.request.url.query
    return moved_answer(f"{location}?{query}" if query else location)


def _posted(endpoint: Endpoint) -> Endpoint:
    return Endpoint(
        "POST",
        endpoint.path,
        endpoint.handler,
        endpoint.summary,
        "stacks",
        answers={302: None},
        rule="stacks:lookup",
    )


_PARTS = {name: _part(name) for name in _READ}

ENDPOINTS = (
    *(
        Endpoint(
            method,
            "/stacks/arn:{arn:path}",
            _by_arn,
            "Find a stack by its ARN",
            "stacks",
            answers={302: None},
            rule="stacks:lookup",
        )
        for method in _METHODS
    ),
    *_PARTS.values(),
    *(_posted(_PARTS[name]) for name in _POSTED),
    *(
        Endpoint(
            method,
            "/stacks/{name_or_id}",
            _by_name,
            "Find a stack by its name or id",
            "stacks",
            answers={302: None},
            rule="stacks:lookup",
        )
        for method in _METHODS
    ),
)
