"""`hotplate check`: ask every resource whether it is there and well, and what differs."""

import click

from hotplate.cli.command_line.arguments import detach_option, stack_argument
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.following.action import act
from hotplate.cli.output.exit_codes import Code
from hotplate.cli.session.session import Session, with_session


@command(
    "check",
    examples=[
        ("hotplate check app", "Is everything still there?"),
        ("hotplate check app --diff", "And what has somebody changed?"),
        ("hotplate check app --last", "What did the last check find to differ?"),
    ],
)
@stack_argument
@click.option(
    "--diff", "with_differences", is_flag=True, help="Print what differs from what was applied."
)
@click.option("--last", is_flag=True, help="Print what the last check found, and check nothing.")
@detach_option
@with_session
async def check(
    session: Session, name: str, with_differences: bool, last: bool, detach: bool
) -> int:
    """Ask every resource whether it is there and well.

    With --diff or --last the exit code is 3 if something differs, through all nesting.
    """
    if detach and (with_differences or last):
        raise click.UsageError("--detach goes without --diff and --last")
    code = Code.DONE if last else await act(session, name, "check", detach)
    if not with_differences and not last:
        return code
    from hotplate.cli.view.differences import show_differences  # a mere check does without it

    async with session.api() as api:
        stack = await session.existing(api, name)
        found = (await api.call("GET", f"{stack.path}/differences"))["differences"]
    show_differences(session.output, stack.name, found, is_checked=not last)
    return code or (Code.CHANGES if found else Code.DONE)
