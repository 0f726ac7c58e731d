"""Which stack an address names."""

from uuid import UUID

from hotplate.api.http.endpoint import Call
from hotplate.engine.refusals import Entity, NotFound
from hotplate.model import Stack


async def named_stack(call: Call, name_or_id: str) -> Stack:
    """Return the stack with that id, deleted ones included, or with that name. Raises NotFound."""
    if _is_uuid(name_or_id):
        try:
            stack = await call.operations.stack(name_or_id)
        except NotFound:
            pass
        else:
            if stack.project == call.project or call.is_everywhere:
                return stack
    return await call.operations.find(call.project, name_or_id)


async def addressed_stack(call: Call, deleted: bool = False) -> Stack:
    """Return the stack of a canonical address, whose name and id must belong together.

    ``deleted``: one that has been deleted is fine, too. Raises NotFound.
    """
    name, stack_id = call.path["stack_name"], call.path["stack_id"]
    try:
        stack = await call.operations.stack(stack_id)
    except NotFound:
        raise NotFound(Entity.STACK, f"{name}/{stack_id}") from None
    wrong = stack.name != name or stack.project != call.project
    if wrong or (stack.deleted_at is not None and not deleted):
        raise NotFound(Entity.STACK, f"{name}/{stack_id}")
    return stack


def _is_uuid(text: str) -> bool:
    try:
        return str(UUID(text)) == text.lower()
    except ValueError:
        return False
