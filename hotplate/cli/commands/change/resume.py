"""`hotplate resume`: wake all resources up."""

from hotplate.cli.command_line.arguments import detach_option, stack_argument
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.following.action import act
from hotplate.cli.session.session import Session, with_session


@command("resume", examples=[("hotplate resume app", "On Monday:")])
@stack_argument
@detach_option
@with_session
async def resume(session: Session, name: str, detach: bool) -> int:
    """Wake all resources up."""
    return await act(session, name, "resume", detach)
