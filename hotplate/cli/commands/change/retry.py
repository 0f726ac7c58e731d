"""`hotplate retry`: try again what failed."""

from hotplate.cli.command_line.arguments import detach_option, stack_argument
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.following.action import act
from hotplate.cli.session.session import Session, with_session


@command("retry", examples=[("hotplate retry app", "Once more, with the same template:")])
@stack_argument
@detach_option
@with_session
async def retry(session: Session, name: str, detach: bool) -> int:
    """Try again what failed, with what the stack is made of."""
    return await act(session, name, "retry", detach)
