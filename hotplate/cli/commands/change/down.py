"""`hotplate down`: delete a stack, after a preview of all that is deleted with it."""

from collections.abc import Sequence
from dataclasses import replace

import click

from hotplate.cli.answers.deletion import DeletionStep, PlannedDeletion, deletion_preview
from hotplate.cli.answers.resource_paths import FoundResource, found_resource
from hotplate.cli.command_line.arguments import (
    complete_resource,
    detach_option,
    stack_argument,
    yes_option,
)
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.following.outcome import Begun, carry_out, confirm, refuse_to_detach
from hotplate.cli.session.session import Session, with_session
from hotplate.cli.view.deletions import show_deletion
from hotplate.client import Api


@command(
    "down",
    examples=[
        ("hotplate down app", "See what goes, answer, and watch it go:"),
        ("hotplate down app --preview", "Only see what would go:"),
        ("hotplate down app --forget web.disk", "Leave alone what could not be deleted:"),
    ],
)
@stack_argument
@yes_option
@click.option("--preview", "only_preview", is_flag=True, help="Show what would go and stop.")
@detach_option
@click.option(
    "--only-if-unchanged",
    is_flag=True,
    help="Refuse if another operation has begun since the preview.",
)
@click.option(
    "--forget",
    "forgotten",
    multiple=True,
    metavar="RESOURCE",
    shell_complete=complete_resource,
    help="Leave the object of a resource alone that could not be deleted; again for more.",
)
@with_session
async def down(
    session: Session,
    name: str,
    yes: bool,
    only_preview: bool,
    detach: bool,
    only_if_unchanged: bool,
    forgotten: tuple[str, ...],
) -> int:
    """Delete a stack: list everything, ask, delete, follow it to the end.

    The list says what is deleted and in which order, and what stays.
    """
    return await bring_down(session, name, yes, only_preview, detach, only_if_unchanged, forgotten)


async def bring_down(
    session: Session,
    name: str,
    yes: bool = True,
    only_preview: bool = False,
    detach: bool = False,
    only_if_unchanged: bool = False,
    forgotten: Sequence[str] = (),
) -> int:
    """Show what goes with a stack, ask, delete it and follow it; return the exit code.

    ``forgotten`` are resources that could not be deleted and whose objects shall stay.
    """
    if detach:
        refuse_to_detach(session)
    async with session.api() as api:
        stack = await session.existing(api, name)
        left = [await found_resource(api, stack, each) for each in forgotten]
        planned = [_without(each, left) for each in await deletion_preview(api, stack)]
    show_deletion(session.output, stack.name, planned)
    if only_preview:
        return 0
    going = sum(not each.step.stays for each in planned)
    confirm(session.output, f"Delete {stack.name} and {going:,} of its resources?", yes)

    async def begin(api: Api) -> Begun:
        after = await api.last_event(stack)
        etag = stack.etag if only_if_unchanged else ""
        for each in left:
            await api.call("POST", f"{each.address}/forget")
        await api.call("DELETE", stack.path, etag=etag)
        return Begun(stack, "DELETE", after)

    kept = [
        each.path for each in planned if each.step in (DeletionStep.KEPT, DeletionStep.EXTERNAL)
    ]
    return await carry_out(session, begin, detach=detach, kept=kept)


def _without(planned: PlannedDeletion, left: Sequence[FoundResource]) -> PlannedDeletion:
    """Return what becomes of a resource if some are forgotten."""
    if all(each.path != planned.path for each in left):
        return planned
    reason = f"{planned.physical_id or 'its object'} stays, and is not managed any more"
    return replace(planned, step=DeletionStep.FORGOTTEN, reason=reason)
