"""`hotplate snapshot …`: keep the state of a stack, and go back to it."""

import click

from hotplate.cli.command_line.arguments import (
    complete_snapshot,
    detach_option,
    stack_argument,
    yes_option,
)
from hotplate.cli.command_line.lazy_commands import LazyGroup, command
from hotplate.cli.following.outcome import Begun, carry_out, confirm, refuse_to_detach
from hotplate.cli.output.exit_codes import Code, Stop
from hotplate.cli.session.session import Session, with_session
from hotplate.cli.view.table import show_table
from hotplate.cli.view.values import as_yaml
from hotplate.client import Api, Document, StackName
from hotplate.document.suggestion import did_you_mean

snapshot = LazyGroup(
    "snapshot",
    help="Keep the state of a stack, and go back to it.",
    lazy={
        "create": ("change.snapshot:create", "Take a snapshot."),
        "list": ("change.snapshot:list_all", "List the snapshots of a stack."),
        "show": ("change.snapshot:show", "Show what a snapshot kept."),
        "restore": ("change.snapshot:restore", "Bring a stack back to a snapshot."),
        "delete": ("change.snapshot:delete", "Forget a snapshot."),
    },
)

_HEAD = ("ID", "NAME", "STATUS", "TAKEN", "REASON")


@command("create", examples=[("hotplate snapshot create app --name before", "Before a change:")])
@stack_argument
@click.option("--name", "label", metavar="NAME", help="A name for the snapshot.")
@detach_option
@with_session
async def create(session: Session, name: str, label: str | None, detach: bool) -> int:
    """Take a snapshot of a stack and of its resources."""
    if detach:
        refuse_to_detach(session)
    async with session.api() as api:
        stack = await session.existing(api, name)

    async def begin(api: Api) -> Begun:
        after = await api.last_event(stack)
        body = {"name": label} if label else {}
        taken = await api.call("POST", f"{stack.path}/snapshots", body)
        session.output.record("snapshot", **taken)
        session.output.say(f"snapshot {taken['id']}")
        return Begun(stack, "SNAPSHOT", after)

    return await carry_out(session, begin, detach=detach)


@command("list", examples=[("hotplate snapshot list app", "All snapshots of app:")])
@stack_argument
@with_session
async def list_all(session: Session, name: str) -> None:
    """List the snapshots of a stack."""
    async with session.api() as api:
        found = await _snapshots(api, await session.existing(api, name))
    for each in found:
        session.output.record("snapshot", **each)
    show_table(session.output, _HEAD, [_row(each) for each in found], f"{name} has no snapshots")


def _row(each: Document) -> tuple[str, ...]:
    label, reason = each.get("name") or "", each.get("status_reason") or ""
    return each["id"], label, each["status"], each["creation_time"], reason


@command("show", examples=[("hotplate snapshot show app before", "What it kept:")])
@stack_argument
@click.argument("wanted", metavar="SNAPSHOT", shell_complete=complete_snapshot)
@with_session
async def show(session: Session, name: str, wanted: str) -> None:
    """Show what a snapshot kept, by its id or its name."""
    async with session.api() as api:
        found = await _snapshot(api, await session.existing(api, name), wanted)
    session.output.record("snapshot", **found)
    session.output.say(as_yaml(found).rstrip())


@command("restore", examples=[("hotplate snapshot restore app before", "Go back:")])
@stack_argument
@click.argument("wanted", metavar="SNAPSHOT", shell_complete=complete_snapshot)
@yes_option
@detach_option
@with_session
async def restore(session: Session, name: str, wanted: str, yes: bool, detach: bool) -> int:
    """Bring a stack back to what it was when a snapshot was taken."""
    if detach:
        refuse_to_detach(session)
    async with session.api() as api:
        stack = await session.existing(api, name)
        found = await _snapshot(api, stack, wanted)
    confirm(session.output, f"Bring {stack.name} back to {found['creation_time']}?", yes)

    async def begin(api: Api) -> Begun:
        after = await api.last_event(stack)
        await api.call("POST", f"{stack.path}/snapshots/{found['id']}/restore")
        return Begun(stack, "RESTORE", after)

    return await carry_out(session, begin, detach=detach)


@command("delete", examples=[("hotplate snapshot delete app before", "Forget it:")])
@stack_argument
@click.argument("wanted", metavar="SNAPSHOT", shell_complete=complete_snapshot)
@yes_option
@with_session
async def delete(session: Session, name: str, wanted: str, yes: bool) -> None:
    """Forget a snapshot."""
    async with session.api() as api:
        stack = await session.existing(api, name)
        found = await _snapshot(api, stack, wanted)
        confirm(session.output, f"Forget the snapshot of {found['creation_time']}?", yes)
        await api.call("DELETE", f"{stack.path}/snapshots/{found['id']}")
    session.output.record("deleted", snapshot_id=found["id"])
    session.output.say(f"snapshot {found['id']} is deleted")


async def _snapshots(api: Api, stack: StackName) -> list[Document]:
    answer = await api.call("GET", f"{stack.path}/snapshots")
    found: list[Document] = answer["snapshots"]
    return found


async def _snapshot(api: Api, stack: StackName, wanted: str) -> Document:
    """Return the snapshot with that id, or the newest with that name. Raises Stop."""
    found = await _snapshots(api, stack)
    fitting = [each for each in found if wanted in (each["id"], each.get("name"))]
    if fitting:
        return fitting[-1]
    names = [text for each in found for text in (each["id"], each.get("name")) if text]
    hint = did_you_mean(wanted, names) or f"`hotplate snapshot list {stack.name}` shows them"
    raise Stop(f'{stack.name} has no snapshot "{wanted}"', Code.REFUSED, hint)
