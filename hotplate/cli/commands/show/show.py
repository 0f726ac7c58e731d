"""`hotplate show` and `hotplate outputs`."""

from collections.abc import Mapping
from typing import Any

import click

from hotplate.cli.command_line.arguments import stack_argument
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.session.session import Purpose, Session, with_session
from hotplate.cli.view.failures import show_failures
from hotplate.cli.view.short_forms import printable, shown_value
from hotplate.cli.view.values import show_outputs

_FIRST = (
    ("stack_status", "status"),
    ("stack_status_reason", "reason"),
    ("id", "id"),
    ("description", "description"),
    ("creation_time", "created"),
    ("updated_time", "updated"),
    ("deletion_time", "deleted"),
    ("stack_owner", "owner"),
    ("parent", "nested in"),
    ("timeout_mins", "timeout, minutes"),
    ("tags", "tags"),
)


@command("show", examples=[("hotplate show app", "All that the stack app says of itself:")])
@stack_argument
@click.option("--no-resolve-outputs", "bare", is_flag=True, help="Leave out the outputs.")
@with_session
async def show(session: Session, name: str, bare: bool) -> None:
    """Show a stack: its state, its parameters, its outputs, and why it failed."""
    async with session.api(Purpose.SHOW) as api:
        found = await session.shown(api, name, outputs=not bare)
    output = session.output
    output.record("stack", **found)
    output.say(click.style(found["stack_name"], bold=True))
    for key, word in _FIRST:
        value = found.get(key)
        if value not in (None, "", []):
            output.say(f"  {word}: {printable(shown_value(value, 2000))}")
    _show_parameters(session, found.get("parameters") or {})
    if found.get("outputs"):
        output.say("outputs")
        show_outputs(output, found["stack_name"], found["outputs"])
        session.warn_if_unserved(found["outputs"])
    if found["stack_status"].endswith("_FAILED"):
        output.say("failures")
        show_failures(
            output, found["stack_name"], found["stack_status"], "", found.get("failures", [])
        )
    if found["stack_status"].endswith("_IN_PROGRESS"):
        session.tell_who_goes_on(found["stack_name"])


def _show_parameters(session: Session, parameters: Mapping[str, Any]) -> None:
    own = {name: text for name, text in parameters.items() if not name.startswith("OS::")}
    if own:
        session.output.say("parameters")
        for name, text in own.items():
            session.output.say(f"  {name}: {printable(shown_value(text, 200))}")
