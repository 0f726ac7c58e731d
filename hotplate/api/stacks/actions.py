"""`POST …/actions`: suspend, resume, check, two ways to cancel; and beyond Heat retry, rollback."""

from starlette.responses import Response

from hotplate.api.http.addressed_stack import addressed_stack
from hotplate.api.http.endpoint import Call, Endpoint, RuleByBody, json_answer
from hotplate.api.http.faults import bad_request
from hotplate.api.http.fields import Body, Field, Kind
from hotplate.api.http.shapes import NULL
from hotplate.api.stacks.used_types import check_types
from hotplate.model import Action, Stack, Status

_VISITS = {"suspend": Action.SUSPEND, "resume": Action.RESUME, "check": Action.CHECK}
_CANCELS = {"cancel_update": True, "cancel_without_rollback": False}
"""Whether the stack goes back to what it was."""

_MENDING = ("retry", "rollback")
"""Not Heat's: try again what failed; go back to what last completed."""

_AS_UPDATES = ("suspend", "resume", *_MENDING)
"""Not for whoever may not use a type that the stack has."""

_NAMES = (*_VISITS, *_CANCELS, *_MENDING)
_ANY = (Kind.TEXT, Kind.MAP, Kind.LIST, Kind.FLAG, Kind.COUNT)
_BODY = Body(tuple(Field(name, _ANY, "The action; its value says nothing.") for name in _NAMES))


_RULE = RuleByBody(
    tuple(f"actions:{name}" for name in (*_NAMES, "action")),
    lambda body: f"actions:{next(iter(body))}" if len(body) == 1 else "actions:action",
)


async def _act(call: Call) -> Response:
    stack = await addressed_stack(call)
    if not call.body:
        raise bad_request("No action specified")
    if len(call.body) > 1:
        raise bad_request("Multiple actions specified")
    (name,) = call.body
    if name in _AS_UPDATES:
        await check_types(call, None, stack)
    if name in _VISITS:
        if not _is_done(stack, _VISITS[name]):
            await call.operations_as_caller.visit(stack.id, _VISITS[name])
    elif name in _CANCELS:
        await call.operations_as_caller.cancel(stack.id, roll_back=_CANCELS[name])
    elif name == "retry":
        await call.operations_as_caller.retry(stack.id)
    elif name == "rollback":
        await call.operations_as_caller.roll_back(stack.id)
    else:
        raise bad_request(f"Invalid action {name} specified")
    return json_answer(None)


def _is_done(stack: Stack, action: Action) -> bool:
    """Return whether the stack is in the wanted state already; a check is never superfluous."""
    return action is not Action.CHECK and stack.action is action and stack.status is Status.COMPLETE


ENDPOINTS = (
    Endpoint(
        "POST",
        "/stacks/{stack_name}/{stack_id}/actions",
        _act,
        "Suspend, resume, check, cancel, retry or roll back",
        "actions",
        body=_BODY,
        answers={200: NULL},
        rule=_RULE,
    ),
)
