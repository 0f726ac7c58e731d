"""`hotplate resource …`: one resource, all that it says of itself, and marking it."""

import json
from typing import Any

import click

from hotplate.cli.answers.resource_paths import every_resource, found_resource
from hotplate.cli.command_line.arguments import resource_argument, stack_argument, yes_option
from hotplate.cli.command_line.lazy_commands import LazyGroup, command
from hotplate.cli.session.session import Session, with_session
from hotplate.cli.view.differences import say_differences
from hotplate.cli.view.short_forms import printable, shown_value
from hotplate.client import Document

resource = LazyGroup(
    "resource",
    help="One resource of a stack.",
    lazy={
        "show": ("show.resource:show", "Show all that it says of itself."),
        "metadata": ("show.resource:metadata", "Print its metadata."),
        "mark-unhealthy": ("show.resource:mark_unhealthy", "Let the next update make a new one."),
        "forget": ("show.resource:forget", "Leave alone what could not be deleted."),
    },
)

_FIRST = (
    ("resource_type", "type"),
    ("resource_status", "status"),
    ("resource_status_reason", "reason"),
    ("description", "description"),
    ("physical_resource_id", "physical id"),
    ("creation_time", "created"),
    ("updated_time", "updated"),
    ("relation", "relation"),
    ("required_by", "required by"),
)


@command(
    "show",
    examples=[
        ("hotplate resource show app server", "State and attributes:"),
        ("hotplate resource show app web.0.server", "One in a nested stack:"),
    ],
)
@stack_argument
@resource_argument
@click.option(
    "--with-attr",
    "attributes",
    multiple=True,
    metavar="NAME",
    help="An attribute that is only shown on request; give it again for more.",
)
@with_session
async def show(session: Session, name: str, resource: str, attributes: tuple[str, ...]) -> None:
    """Show a resource: its state, its object and its attributes."""
    query = [("with_attr", each) for each in attributes]
    async with session.api() as api:
        found = await found_resource(api, await session.existing(api, name), resource)
        answer: Document = await api.call("GET", found.address, query=query)
    output, document = session.output, answer["resource"]
    output.record("resource", path=list(found.path), **document)
    output.say(click.style(printable(found.dotted), bold=True))
    for key, word in _FIRST:
        value = document.get(key)
        if value not in (None, "", []):
            output.say(f"  {word}: {printable(shown_value(value, 2000))}")
    if document.get("differences"):
        output.say("differs from what was applied")
        say_differences(output, document["differences"])
    if document.get("attributes"):
        output.say("attributes")
        for key, value in document["attributes"].items():
            output.say(f"  {printable(key)}: {printable(shown_value(value, 2000))}")
        if document.get("attributes_note"):
            output.note(printable(document["attributes_note"]))
        session.warn_if_unserved(document["attributes"])


@command("metadata", examples=[("hotplate resource metadata app server", "As JSON:")])
@stack_argument
@resource_argument
@with_session
async def metadata(session: Session, name: str, resource: str) -> None:
    """Print the metadata of a resource, as JSON."""
    async with session.api() as api:
        found = await found_resource(api, await session.existing(api, name), resource)
        metadata: Any = (await api.call("GET", f"{found.address}/metadata"))["metadata"]
    session.output.record("metadata", path=list(found.path), metadata=metadata)
    session.output.say(json.dumps(metadata, indent=2, ensure_ascii=False))


@command(
    "mark-unhealthy",
    examples=[
        ("hotplate resource mark-unhealthy app server 'the disk is full'", "It is broken:"),
        ("hotplate resource mark-unhealthy app server --reset", "It is well after all:"),
    ],
)
@stack_argument
@resource_argument
@click.argument("reason", required=False, default="")
@click.option("--reset", is_flag=True, help="Take the mark away.")
@with_session
async def mark_unhealthy(
    session: Session, name: str, resource: str, reason: str, reset: bool
) -> None:
    """Mark a resource as broken: the next update of the stack makes a new one."""
    body = {"mark_unhealthy": not reset, "resource_status_reason": reason}
    async with session.api() as api:
        found = await found_resource(api, await session.existing(api, name), resource)
        await api.call("PATCH", found.address, body)
    session.output.record("marked", path=list(found.path), is_unhealthy=not reset, reason=reason)
    if reset:
        session.output.say(f"{found.dotted} is taken for well again")
    else:
        session.output.say(f"{found.dotted} is marked; the next update makes a new one")


@command(
    "forget",
    examples=[("hotplate resource forget app web.disk", "Go on without an old disk that stays:")],
)
@stack_argument
@resource_argument
@yes_option
@with_session
async def forget(session: Session, name: str, resource: str, yes: bool) -> None:
    """Take a resource that could not be deleted for deleted: its object stays, unmanaged.

    Of a resource that was replaced, the old object that is left over is forgotten.
    """
    from hotplate.cli.following.outcome import confirm  # the other commands here do without it

    async with session.api() as api:
        stack = await session.existing(api, name)
        found = await found_resource(api, stack, resource)
        objects = [
            each.document["physical_resource_id"]
            for each in every_resource(await api.tree(stack))
            if each.path == found.path and each.document["resource_status"] == "DELETE_FAILED"
        ]
        stay = f"{printable(', '.join(filter(None, objects))) or 'Its object'} stays, unmanaged."
        confirm(session.output, f"Forget what could not be deleted of {found.dotted}? {stay}", yes)
        left = (await api.call("POST", f"{found.address}/forget"))["forgotten"]
    session.output.record("forgotten", path=list(found.path), objects=left)
    for each in left:
        session.output.say(f"{found.dotted}: {printable(each['resource_status_reason'])}")
    session.output.note(f"`hotplate retry {stack.name}` goes on with what failed")
