"""`hotplate signal`: send a signal to a resource."""

import json
from typing import Any

import click

from hotplate.cli.answers.resource_paths import found_resource
from hotplate.cli.command_line.arguments import resource_argument, stack_argument
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.output.exit_codes import Code, Stop
from hotplate.cli.session.session import Session, with_session


@command(
    "signal",
    examples=[
        ("hotplate signal app wait_handle", "Let a wait condition go on:"),
        (
            'hotplate signal app wait_handle --data \'{"status": "FAILURE", "reason": "no disk"}\'',
            "Or let it fail:",
        ),
    ],
)
@stack_argument
@resource_argument
@click.option("--data", metavar="JSON", help="The data of the signal.")
@click.option("--data-file", metavar="FILE", help="A file with the data of the signal.")
@with_session
async def signal(
    session: Session, name: str, resource: str, data: str | None, data_file: str | None
) -> None:
    """Send a signal to a resource, such as the handle of a wait condition."""
    body = _body(data, data_file)
    async with session.api() as api:
        stack = await session.existing(api, name)
        found = await found_resource(api, stack, resource)
        path = f"{found.address}/signal"
        await api.call("POST", path, body)
    session.output.record("signalled", path=list(found.path))
    session.output.say(f"{found.dotted} has been signalled")
    session.tell_who_goes_on(stack.name)


def _body(data: str | None, file: str | None) -> Any:
    text = data
    if file is not None:
        try:
            with open(file, encoding="utf-8") as stream:
                text = stream.read()
        except (OSError, UnicodeDecodeError) as error:
            message = getattr(error, "strerror", None) or "it is not text in UTF-8"
            raise Stop(f"{file} cannot be read: {message}", Code.USAGE) from None
    if not text:
        return {}
    try:
        return json.loads(text)
    except ValueError as error:
        raise Stop(f"the data of the signal is not JSON: {error}", Code.USAGE) from None
