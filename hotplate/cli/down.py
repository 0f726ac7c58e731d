"""`hotplate down`: delete a stack, after a look at all that goes with it."""

import click

from hotplate.cli.commanding import command
from hotplate.cli.names import detach_option, stack_argument, yes_option
from hotplate.cli.outcome import Begun, carry_out, confirm, refuse_to_detach
from hotplate.cli.rehearsal import rehearsed
from hotplate.cli.session import Session, with_session
from hotplate.cli.view.rehearsals import show_rehearsal
from hotplate.client.api import Api


@command(
    "down",
    examples=[
        ("hotplate down app", "See what goes, answer, and watch it go:"),
        ("hotplate down app --preview", "Only see what would go:"),
    ],
)
@stack_argument
@yes_option
@click.option("--preview", "only_preview", is_flag=True, help="Show what would go and stop.")
@detach_option
@click.option(
    "--only-if-unchanged",
    is_flag=True,
    help="Refuse if the stack has moved since it was looked at.",
)
@with_session
async def down(
    session: Session,
    name: str,
    yes: bool,
    only_preview: bool,
    detach: bool,
    only_if_unchanged: bool,
) -> int:
    """Delete a stack: list everything, ask, delete, follow it to the end.

    The list says what is deleted and in which order, and what stays.
    """
    return await bring_down(session, name, yes, only_preview, detach, only_if_unchanged)


async def bring_down(
    session: Session,
    name: str,
    yes: bool = True,
    only_preview: bool = False,
    detach: bool = False,
    only_if_unchanged: bool = False,
) -> int:
    """Show what goes with a stack, ask, delete it and follow it; return the exit code."""
    if detach:
        refuse_to_detach(session)
    async with session.api() as api:
        stack = await session.existing(api, name)
        fates = await rehearsed(api, stack)
    show_rehearsal(session.output, stack.name, fates)
    if only_preview:
        return 0
    going = sum(not each.fate.stays for each in fates)
    confirm(session.output, f"Delete {stack.name} and {going:,} of its resources?", yes)

    async def begin(api: Api) -> Begun:
        after = await api.last_event(stack)
        etag = stack.etag if only_if_unchanged else ""
        await api.call("DELETE", stack.path, etag=etag)
        return Begun(stack, "DELETE", after)

    kept = [each.path for each in fates if each.fate.stays]
    return await carry_out(session, begin, detach=detach, kept=kept)
