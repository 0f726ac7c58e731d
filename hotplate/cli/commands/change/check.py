"""`hotplate check`: ask every resource whether it is there and well."""

from hotplate.cli.command_line.arguments import detach_option, stack_argument
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.following.action import act
from hotplate.cli.session.session import Session, with_session


@command("check", examples=[("hotplate check app", "Is everything still there?")])
@stack_argument
@detach_option
@with_session
async def check(session: Session, name: str, detach: bool) -> int:
    """Ask every resource whether it is there and well."""
    return await act(session, name, "check", detach)
