"""`hotplate why`: the chain of causes behind a resource."""

from dataclasses import asdict

import click

from hotplate.cli.answers.causes import causes_of
from hotplate.cli.answers.resource_paths import found_resource
from hotplate.cli.answers.sources import Source
from hotplate.cli.command_line.arguments import resource_argument, stack_argument
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.session.session import Session, with_session
from hotplate.cli.view.failures import own_words
from hotplate.cli.view.short_forms import can_draw, printable, short_type


@command(
    "why",
    examples=[
        ("hotplate why app server", "Why is it as it is, what does it wait for?"),
        ("hotplate why app web.0.server", "One in a nested stack:"),
    ],
)
@stack_argument
@resource_argument
@with_session
async def why(session: Session, name: str, resource: str) -> None:
    """Say why a resource is as it is: its state, what it waits for, or what made it fail.

    RESOURCE is the names that lead to it, with dots between; the last alone will do if there is
    only one of it.
    """
    async with session.api() as api:
        stack = await session.existing(api, name)
        found = await found_resource(api, stack, resource)
        chain = await causes_of(api, found)
    output = session.output
    type_name = found.document["resource_type"]
    output.record(
        "why",
        path=list(found.path),
        resource_type=type_name,
        status=found.document["resource_status"],
        causes=[
            {
                "level": each.level,
                "text": each.text,
                "path": list(each.path),
                "source": None if each.source is None else asdict(each.source),
            }
            for each in chain
        ],
    )
    title = click.style(printable(found.dotted), bold=True)
    output.say(f"{title} ({short_type(printable(type_name))})")
    arrow = "←" if can_draw() else "<-"
    for each in chain:
        place = f"  ({_place(each.source)})" if each.source and _place(each.source) else ""
        sign = f"{arrow} " if each.level else ""
        output.say_wrapped(
            f"{'  ' * (each.level + 1)}{sign}{printable(own_words(each.text))}{place}"
        )


def _place(source: Source) -> str:
    """Return where it stands; what stands there has been said."""
    return str(source) if source.kind == "parameter" else source.place
