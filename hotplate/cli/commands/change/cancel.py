"""`hotplate cancel`: stop an update or a creation."""

import click

from hotplate.cli.command_line.arguments import detach_option, stack_argument
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.following.action import act
from hotplate.cli.output.exit_codes import Code, Stop
from hotplate.cli.session.session import Session, with_session


@command(
    "cancel",
    examples=[
        ("hotplate cancel app", "Stop an update and go back:"),
        ("hotplate cancel app --no-rollback", "Stop it where it is:"),
    ],
)
@stack_argument
@click.option("--no-rollback", is_flag=True, help="Leave everything as it is at that moment.")
@detach_option
@with_session
async def cancel(session: Session, name: str, no_rollback: bool, detach: bool) -> int:
    """Stop an update and go back to what was; with --no-rollback also a creation."""
    return await stop(session, name, no_rollback, detach)


async def stop(session: Session, name: str, no_rollback: bool, detach: bool) -> int:
    """Stop what a stack is doing and follow it; return the exit code. Raises Stop."""
    if not no_rollback:
        async with session.api() as api:
            state = (await session.shown(api, name))["stack_status"]
        if state == "CREATE_IN_PROGRESS":
            raise Stop(
                "there is nothing to go back to while a stack is created",
                Code.REFUSED,
                f"`hotplate cancel {name} --no-rollback` stops it where it is",
            )
    request = "cancel_without_rollback" if no_rollback else "cancel_update"
    return await act(session, name, request, detach)
