"""One action of a stack: requested, and followed to its end."""

from hotplate.cli.answers.plan import Plan
from hotplate.cli.following.outcome import Begun, action_body, carry_out, refuse_to_detach
from hotplate.cli.session.session import Session
from hotplate.client import Api


async def act(
    session: Session, name: str, request: str, detach: bool, plan: Plan | None = None
) -> int:
    """Ask for an action and follow it; return the exit code. ``plan`` is what it will do."""
    if detach:
        refuse_to_detach(session)
    async with session.api() as api:
        stack = await session.existing(api, name)

    async def begin(api: Api) -> Begun:
        after = await api.last_event(stack)
        await api.call("POST", f"{stack.path}/actions", action_body(request))
        shown = await api.stack(stack.id)
        action = "CANCEL" if request.startswith("cancel") else ""
        return Begun(stack, action or shown["stack_status"].partition("_")[0], after)

    return await carry_out(session, begin, plan, detach)
