"""`hotplate events`: what happened, and what happens."""

from typing import Any
from urllib.parse import quote

import click

from hotplate.cli.answers.resource_paths import found_resource
from hotplate.cli.command_line.arguments import resource_argument, stack_argument
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.commands.show.resources import Depth
from hotplate.cli.output.output import Output
from hotplate.cli.session.session import Session, with_session
from hotplate.cli.view.short_forms import printable
from hotplate.cli.view.values import as_yaml
from hotplate.client import Happening, happening_of


@command(
    "events",
    examples=[
        ("hotplate events app -n MAX", "All events, of nested stacks as well:"),
        ("hotplate events app -n MAX --follow", "And whatever happens from now on:"),
        ("hotplate events app --resource server", "Of one resource:"),
    ],
)
@stack_argument
@click.option(
    "-n",
    "--nested-depth",
    "depth",
    type=Depth(),
    default="0",
    metavar="N|MAX",
    help="How many levels of nested stacks to list as well.",
)
@click.option(
    "--follow",
    is_flag=True,
    help="Go on with new ones, until Ctrl-C or until the stack is deleted.",
)
@click.option("--resource", metavar="NAME", help="Only those of this resource.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the last N.")
@click.option("--marker", metavar="ID", help="Only those before this event.")
@with_session
async def events(
    session: Session,
    name: str,
    depth: str,
    follow: bool,
    resource: str | None,
    limit: int | None,
    marker: str | None,
) -> None:
    """List the events of a stack, the oldest first."""
    async with session.api() as api:
        stack = await session.existing(api, name)
        query: dict[str, Any] = {"nested_depth": depth, "sort_dir": "desc"}
        if limit:
            query["limit"] = limit
        if marker:
            query["marker"] = marker
        if resource:
            query["resource_name"] = resource
        found = (await api.call("GET", f"{stack.path}/events", query=query))["events"]
        if resource and not found:
            await found_resource(api, stack, resource)  # it may be misspelt
        for document in reversed(found):
            _show(session.output, happening_of(document))
        if not follow:
            return
        last = await api.last_event(stack)
        after = found[0]["id"] if found and not resource else last
        async for event in api.follow(stack, after, depth):
            if event is not None and resource in (None, event.name):
                _show(session.output, event)


def _show(output: Output, event: Happening) -> None:
    output.record(
        "event",
        id=event.id,
        time=event.at,
        resource_name=event.name,
        resource_type=event.type,
        action=event.action,
        status=event.status,
        reason=event.reason,
        physical_resource_id=event.physical_id,
        stack_name=event.stack_name,
        stack_id=event.stack_id,
        is_of_stack=event.is_of_stack,
    )
    what = event.stack_name if event.is_of_stack else f"{event.stack_name}.{event.name}"
    reason = " ".join(event.reason.split())
    output.say(f"{event.at}  {event.state:<20}  {printable(what)}  {printable(reason)}".rstrip())


@command("show", examples=[("hotplate stack event show app server EVENT", "All of it:")])
@stack_argument
@resource_argument
@click.argument("event", metavar="EVENT")
@with_session
async def show(session: Session, name: str, resource: str, event: str) -> None:
    """Show all that one event of a resource says; EVENT is its id."""
    async with session.api() as api:
        found = await found_resource(api, await session.existing(api, name), resource)
        path = f"{found.address}/events/{quote(event, safe='~')}"
        shown = (await api.call("GET", path))["event"]
    session.output.record("event", **shown)
    session.output.say(as_yaml({key: shown[key] for key in shown if key != "links"}).rstrip())
