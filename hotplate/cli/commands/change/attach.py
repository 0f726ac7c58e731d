"""`hotplate attach`: follow what a stack is doing, and without a server go on with it."""

from hotplate.cli.command_line.arguments import stack_argument
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.following.follow import Ended
from hotplate.cli.following.outcome import Begun, carry_out, report_end
from hotplate.cli.session.session import Session, with_session
from hotplate.client import Api, name_of


@command(
    "attach",
    examples=[("hotplate attach app", "Go on with what Ctrl-C interrupted:")],
)
@stack_argument
@with_session
async def attach(session: Session, name: str) -> int:
    """Follow what a stack is doing to its end.

    Without a server this goes on with work that was paused. A stack at rest is reported, and that
    is all.
    """
    async with session.api() as api:
        shown = await session.shown(api, name)
        state = shown["stack_status"]
        stack = name_of(shown)
        if not state.endswith("_IN_PROGRESS"):
            ended = Ended(state, shown.get("stack_status_reason") or "", None)
            return await report_end(session, api, stack, ended)

    async def begin(api: Api) -> Begun:
        after = await api.last_event(stack)
        return Begun(stack, state.partition("_")[0], after, is_under_way=True)

    return await carry_out(session, begin)
