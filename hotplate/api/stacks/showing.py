"""One stack as it is: all it says of itself, its template, its outputs.

Apart from what changes stacks, so that a process that only reads loads none of that.
"""

from dataclasses import replace
from typing import Any

from starlette.responses import Response

from hotplate.api.http.addressed_stack import addressed_stack
from hotplate.api.http.endpoint import Call, Endpoint, json_answer
from hotplate.api.http.faults import Fault
from hotplate.api.http.fields import Query, QueryKind, Schema
from hotplate.api.http.shapes import listed, record
from hotplate.api.stacks.documents import (
    FULL,
    OUTPUT,
    OUTPUT_HEAD,
    etag_of,
    failure_document,
    full,
    output,
    output_heads,
)
from hotplate.api.stacks.output_sizes import within
from hotplate.document.repeated import plain_text
from hotplate.engine.recipes.hidden_parameters import secrets_of
from hotplate.engine.refusals import NotFound
from hotplate.model import Status
from hotplate.secret import Secrets

PATH = "/stacks/{stack_name}/{stack_id}"


async def _show(call: Call) -> Response:
    stack = await addressed_stack(call, deleted=True)
    bound = await call.operations.bound(stack)
    (shown,) = await call.with_reasons([stack])
    document = full(call, shown, bound, await call.operations.timeout(stack))
    if stack.deleted_at is None and call.query.get("resolve_outputs", True):
        try:
            values = await call.operations.outputs(stack.id, typed=not call.sees_secrets)
        except NotFound:
            return await _show(call)  # the stack has been deleted since it was looked up
        outputs = [output(head, values.get(head["output_key"])) for head in output_heads(bound)]
        document["outputs"] = await within(outputs, call.engine.settings.largest_outputs)
    if stack.status is Status.FAILED:
        found = await call.operations.failures(stack)
        # Only what a workflow was given may have secrets in it: reasons are written without.
        secrets = secrets_of(bound) if any(each.input for each in found) else Secrets()
        document["failures"] = [
            failure_document(
                call.links, call.project, replace(each, input=secrets.masked(each.input))
            )
            for each in found
        ]
    return json_answer({"stack": document}, headers={"etag": etag_of(stack)})


async def _template(call: Call) -> Response:
    stack = await addressed_stack(call, deleted=True)
    bound = await call.operations.bound(stack)
    if call.query.get("as_text"):
        recipe = bound.recipe
        text = plain_text(recipe.template)
        return json_answer({"template": text, "template_name": recipe.template_name})
    return json_answer(bound.template.template.data)


async def _outputs(call: Call) -> Response:
    stack = await addressed_stack(call)
    return json_answer({"outputs": output_heads(await call.operations.bound(stack))})


async def _output(call: Call) -> Response:
    stack = await addressed_stack(call)
    bound = await call.operations.bound(stack)
    key = call.path["output_key"]
    head = next((head for head in output_heads(bound) if head["output_key"] == key), None)
    if head is None:
        raise Fault(
            404, f"Specified output key {key} not found. The stack has no such output.", "NotFound"
        )
    found = await call.operations.output(stack.id, key, typed=not call.sees_secrets)
    (document,) = await within([output(head, found.value)], call.engine.settings.largest_outputs)
    if found.note:
        document["output_note"] = found.note
    return json_answer({"output": document})


def _endpoint(path: str, handler: Any, summary: str, schema: Schema, **more: Any) -> Endpoint:
    return Endpoint("GET", path, handler, summary, "stacks", answers={200: schema}, **more)


SHOW = _endpoint(
    PATH,
    _show,
    "Show a stack",
    record({"stack": FULL}),
    query=(Query("resolve_outputs", QueryKind.FLAG, "False leaves the outputs out."),),
    rule="stacks:show",
)
PARTS = (
    _endpoint(
        f"{PATH}/template",
        _template,
        "Show a stack's template",
        {"type": "object", "minProperties": 1},
        query=(
            Query(
                "as_text",
                QueryKind.FLAG,
                "The text as it was sent, as `template`, and its `template_name`.",
            ),
        ),
        rule="stacks:template",
    ),
    _endpoint(
        f"{PATH}/outputs",
        _outputs,
        "List a stack's outputs",
        record({"outputs": listed(OUTPUT_HEAD)}),
        rule="stacks:list_outputs",
    ),
    _endpoint(
        f"{PATH}/outputs/{{output_key}}",
        _output,
        "Show an output",
        record({"output": OUTPUT}),
        rule="stacks:show_output",
    ),
)
ENDPOINTS = (SHOW, *PARTS)
