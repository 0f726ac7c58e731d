"""Signals: with a token, or by an address that carries its own proof."""

from typing import Any

from starlette.responses import Response

from hotplate.api.http.addressed_stack import addressed_stack
from hotplate.api.http.endpoint import OPEN, Call, Endpoint, json_answer
from hotplate.api.http.faults import Fault, bad_request
from hotplate.api.http.fields import Body
from hotplate.api.http.shapes import FREE, NULL, record, text
from hotplate.api.resources.resources import metadata_document
from hotplate.engine.refusals import NotFound, NotSupported
from hotplate.engine.requests.signals import AddressEnded
from hotplate.model import Stack
from hotplate.resources.capabilities import ActsOnSignals, AdjustsGroup
from hotplate.resources.heat.provider_template import resource_type_for
from hotplate.resources.signals import is_signed
from hotplate.software import Unfit, check_depth

_ANYTHING = Body(required=False)
_WRONG = "the address is not one that this server signed, or what it was signed for was deleted"


async def _signal(call: Call) -> Response:
    stack, name = await addressed_stack(call), call.path["resource_name"]
    if "unset_hook" in call.body:
        # Only with a token: an address that lets a server signal is not one to let things go on.
        await call.operations.clear_hook(stack.id, name, str(call.body["unset_hook"]))
    else:
        await _signalled(call, stack, name)
    return json_answer(None)


async def _signalled(call: Call, stack: Stack, name: str, creation_token: str = "") -> None:
    try:
        for field, value in call.body.items():
            check_depth(field, value)
    except Unfit as error:
        raise bad_request(str(error)) from None
    try:
        await call.operations.signal(stack.id, name, call.body, creation_token)
    except NotSupported as refusal:
        raise bad_request(f"{refusal} {refusal.hint}".strip(), "NotSupported") from None
    except AddressEnded as ended:
        raise Fault(403, f"{ended}; {ended.hint}", "SignatureError") from None


def _signed(kind: str) -> Any:
    async def handler(call: Call) -> Response:
        stack, name, creation_token = await _proven(call, kind)
        await _signalled(call, stack, name, creation_token)
        if kind == "waitcondition":
            return json_answer({"reason": "", "status": "SUCCESS"})
        return json_answer(None)

    return handler


async def _metadata(call: Call) -> Response:
    stack, name, _ = await _proven(call, "metadata")
    return json_answer(await metadata_document(call, stack, name))


async def _proven(call: Call, kind: str) -> tuple[Stack, str, str]:
    """Return what a signed address is for: stack, resource, creation token. Raises Fault."""
    arn = call.path["arn"]
    stack, name = await _resource(call, arn)
    query = dict(call.request.query_params)
    # The creation token in the address: a version that is being replaced still has one of its own.
    creation_token = query.get("AWSAccessKeyId", "")
    version = await _known(call, stack, name, creation_token)
    if not is_signed(str(version.data.get("key", "")), kind, f"arn:{arn}", query):
        raise Fault(403, _WRONG, "SignatureError")
    resource_type = resource_type_for(call.engine.tools.catalogue, version.type_name)
    if kind == "metadata" or isinstance(resource_type, ActsOnSignals | AdjustsGroup):
        _not_too_often(call, f"{kind} {creation_token}")
    return stack, name, creation_token


def _not_too_often(call: Call, address: str) -> None:
    """Refuse an address that lives as long as its resource if it is used too often. Raises Fault.

    Only whoever has proven to have it is counted.
    """
    most, now = call.engine.settings.signed_uses_per_minute, call.engine.tools.world.now()
    if seconds := call.engine.address_uses.wait_for(address, most, now):
        raise Fault(
            429,
            f"The address may be used {most} times within a minute. Try again in {seconds} s.",
            headers={"retry-after": str(seconds)},
        )


async def _resource(call: Call, arn: str) -> tuple[Stack, str]:
    head, found, rest = arn.partition(":stacks/")
    parts = rest.split("/", 3)
    if not found or len(parts) != 4 or parts[2] != "resources":
        raise Fault(403, _WRONG, "SignatureError")
    try:
        stack = await call.operations.stack(parts[1])
    except NotFound:
        raise Fault(403, _WRONG, "SignatureError") from None
    is_right = stack.project == head.rpartition(":")[2] and stack.name == parts[0]
    if not is_right or stack.deleted_at is not None:
        raise Fault(403, _WRONG, "SignatureError")
    return stack, parts[3]


async def _known(call: Call, stack: Stack, name: str, creation_token: str) -> Any:
    try:
        return await call.operations.created_with(stack, name, creation_token)
    except NotFound:
        raise Fault(403, _WRONG, "SignatureError") from None


ENDPOINTS = (
    Endpoint(
        "POST",
        "/stacks/{stack_name}/{stack_id}/resources/{resource_name}/signal",
        _signal,
        "Signal a resource",
        "resources",
        body=_ANYTHING,
        answers={200: NULL},
        rule="resource:signal",
    ),
)

OPEN_ENDPOINTS = (
    Endpoint(
        "POST",
        "/signal/arn:{arn:path}",
        _signed("signal"),
        "Signal a resource by its signed address",
        "signals",
        body=_ANYTHING,
        answers={200: NULL},
        rule=OPEN,
    ),
    Endpoint(
        "PUT",
        "/waitcondition/arn:{arn:path}",
        _signed("waitcondition"),
        "Signal a wait condition by its signed address",
        "signals",
        body=_ANYTHING,
        answers={200: record({"status": text(), "reason": text()})},
        rule=OPEN,
    ),
    Endpoint(
        "GET",
        "/metadata/arn:{arn:path}",
        _metadata,
        "Show the metadata of a server by its signed address",
        "signals",
        answers={200: FREE},
        description="What an agent on the server asks for: the software that is deployed to it.",
        rule=OPEN,
    ),
)
