"""Stacks as the API shows them."""

from typing import TYPE_CHECKING, Any

from hotplate.api.http.endpoint import Call
from hotplate.api.http.fields import Schema
from hotplate.api.http.links import Links, link
from hotplate.api.http.shapes import FLAG, LINKS, TEXTS, TIME, listed, maybe, record, text
from hotplate.api.http.times import shown_time
from hotplate.model import Action, Stack, Status

if TYPE_CHECKING:
    from hotplate.engine.explain.failures import Failure
    from hotplate.engine.recipes.book import Bound

NO_DESCRIPTION = "No description"
NO_OUTPUT_DESCRIPTION = "No description given"

OUTPUT_HEAD = record({"output_key": text(), "description": text()})
OUTPUT = record(
    {"output_key": text(), "description": text(), "output_value": {}},
    {"output_error": text(), "output_note": text()},
)
_FAILURE = record(
    {
        "path": listed(text()),
        "resource_type": text(),
        "physical_resource_id": text(),
        "resource_action": text(),
        "reason": text(),
        "is_old": FLAG,
        "links": LINKS,
    },
    {"input": {"type": "object"}},
)
_STATE: Schema = {
    "type": "string",
    "pattern": f"^({'|'.join(action.value for action in Action if action is not Action.INIT)})_"
    f"({'|'.join(status.value for status in Status)})$",
}
_IN_ALL = {
    "id": text(),
    "links": LINKS,
    "stack_name": text(),
    "description": text(),
    "stack_status": _STATE,
    "stack_status_reason": text(),
    "creation_time": TIME,
    "updated_time": maybe(TIME),
    "deletion_time": maybe(TIME),
    "stack_owner": text(),
    "parent": maybe(text()),
    "stack_user_project_id": maybe(text()),
    "tags": maybe(listed(text())),
}
SUMMARY = record(_IN_ALL, {"project": text()})
FULL = record(
    {
        **_IN_ALL,
        "template_description": text(),
        "parameters": TEXTS,
        "capabilities": listed({}),
        "notification_topics": listed({}),
        "disable_rollback": FLAG,
        "timeout_mins": maybe({"type": "integer"}),
    },
    {"outputs": listed(OUTPUT), "failures": listed(_FAILURE)},
)


def state_of(stack: Stack) -> str:
    """Return action and status as one word."""
    return f"{stack.action.value}_{stack.status.value}"


def etag_of(stack: Stack) -> str:
    """Return the mark of what the stack aims at: it changes with every operation."""
    return etag(stack.sequence)


def etag(sequence: int) -> str:
    """Return the mark of one operation on a stack."""
    return f'"{sequence}"'


def summary(links: Links, stack: Stack, with_project: bool) -> dict[str, Any]:
    """Return a stack as listings show it."""
    document: dict[str, Any] = {
        "id": stack.id,
        "links": [link(links.of_stack(stack))],
        "stack_name": stack.name,
        "description": "",
        "stack_status": state_of(stack),
        "stack_status_reason": stack.reason,
        "creation_time": shown_time(stack.created_at),
        "updated_time": shown_time(stack.updated_at),
        "deletion_time": shown_time(stack.deleted_at),
        "stack_owner": stack.username,
        "parent": stack.parent_id,
        "stack_user_project_id": None,
        "tags": list(stack.tags) or None,
    }
    if with_project:
        document["project"] = stack.project
    return document


def full(call: Call, stack: Stack, bound: "Bound", timeout: int | None) -> dict[str, Any]:
    """Return a stack with all that it says about itself, but without its outputs.

    ``timeout`` is the one that holds for it, which may be that of a stack around it.
    """
    description = bound.template.template.description or NO_DESCRIPTION
    return {
        **summary(call.links, stack, with_project=False),
        "description": description,
        "template_description": description,
        "parameters": bound.values.shown(),
        "capabilities": [],
        "notification_topics": [],
        "disable_rollback": not stack.rollback,
        "timeout_mins": timeout,
        "tags": list(stack.tags),
    }


def output_heads(bound: "Bound") -> list[dict[str, Any]]:
    """Return the outputs without their values."""
    return [
        {"output_key": name, "description": output.description or NO_OUTPUT_DESCRIPTION}
        for name, output in bound.template.template.outputs.items()
    ]


def output(head: dict[str, Any], value: Any) -> dict[str, Any]:
    """Return an output with its value, or with why it has none."""
    from hotplate.template import ResolveError  # noqa: PLC0415 (lists of stacks need it not)

    if isinstance(value, ResolveError):
        return {**head, "output_value": None, "output_error": str(value)}
    return {**head, "output_value": value}


def failure_document(links: Links, project: str, failure: "Failure") -> dict[str, Any]:
    """Return one root cause of a failure: the way to it, and its words in full."""
    address = links.stack(project, failure.stack_name, failure.stack_id)
    document: dict[str, Any] = {
        "path": list(failure.path),
        "resource_type": failure.type,
        "physical_resource_id": failure.physical_id or "",
        "resource_action": failure.action,
        "reason": failure.reason,
        "is_old": failure.is_old,
        "links": [
            link(links.resource(address, failure.path[-1])),
            link(address, "stack"),
        ],
    }
    if failure.input:
        document["input"] = dict(failure.input)
    return document
