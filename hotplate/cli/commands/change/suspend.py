"""`hotplate suspend`: put all resources to rest."""

from hotplate.cli.command_line.arguments import detach_option, stack_argument
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.following.action import act
from hotplate.cli.session.session import Session, with_session


@command("suspend", examples=[("hotplate suspend app", "Over the weekend:")])
@stack_argument
@detach_option
@with_session
async def suspend(session: Session, name: str, detach: bool) -> int:
    """Put all resources to rest."""
    return await act(session, name, "suspend", detach)
