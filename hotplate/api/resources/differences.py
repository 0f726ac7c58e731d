"""Where objects are not what was applied to them, as the last check found it."""

from starlette.responses import Response

from hotplate.api.http.addressed_stack import addressed_stack
from hotplate.api.http.differences import DIFFERENCES, difference_documents
from hotplate.api.http.endpoint import Call, Endpoint, json_answer
from hotplate.api.http.shapes import listed, maybe, record, text
from hotplate.engine.recipes.hidden_parameters import secrets_of
from hotplate.secret import Secrets


async def _list(call: Call) -> Response:
    stack = await addressed_stack(call)
    found = await call.operations.differing(stack)
    # Of nested stacks too: a secret may be given to a parameter that is none there.
    secrets = secrets_of(await call.operations.bound(stack)) if found else Secrets()
    documents = [
        {
            "path": list(each.path),
            "resource_type": each.type,
            "physical_resource_id": each.physical_id,
            "stack_name": each.stack_name,
            "stack_id": each.stack_id,
            "differences": secrets.masked(difference_documents(each.differences)),
        }
        for each in found
    ]
    return json_answer({"differences": documents})


ENDPOINTS = (
    Endpoint(
        "GET",
        "/stacks/{stack_name}/{stack_id}/differences",
        _list,
        "List what the last check found to differ from what was applied, in nested stacks as well",
        "stacks",
        answers={
            200: record(
                {
                    "differences": listed(
                        record(
                            {
                                "path": listed(text()),
                                "resource_type": text(),
                                "physical_resource_id": maybe(text()),
                                "stack_name": text(),
                                "stack_id": text(),
                                "differences": DIFFERENCES,
                            }
                        )
                    )
                }
            )
        },
        rule="stacks:differences",
    ),
)
