"""`hotplate show` and `hotplate outputs`."""

from collections.abc import Mapping
from typing import Any

import click

from hotplate.cli.command_line.arguments import complete_output, stack_argument
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.output.exit_codes import Code, Stop
from hotplate.cli.session.session import Purpose, Session, with_session
from hotplate.cli.view.failures import show_failures
from hotplate.cli.view.short_forms import printable, shown_value
from hotplate.cli.view.values import show_outputs, shown

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
        session.tell_unserved(found["outputs"])
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


@command(
    "outputs",
    examples=[
        ("hotplate outputs app", "All outputs:"),
        ("hotplate outputs app address", "One, as it is, for a script:"),
    ],
)
@stack_argument
@click.argument("key", required=False, shell_complete=complete_output)
@click.option("--all", is_flag=True, expose_value=False, help="All of them, as without a key.")
@with_session
async def outputs(session: Session, name: str, key: str | None) -> int:
    """Print the outputs of a stack, or the value of one."""
    async with session.api(Purpose.SHOW) as api:
        found = await session.shown(api, name, outputs=True)
    every = found.get("outputs", [])
    wanted = [each for each in every if key in (None, each["output_key"])]
    if key is not None and not wanted:
        from hotplate.document.suggestion import did_you_mean

        known = [each["output_key"] for each in every]
        hint = did_you_mean(key, known) or (f"there are {', '.join(known)}" if known else "")
        raise Stop(f'{found["stack_name"]} has no output "{key}"', Code.REFUSED, hint)
    for each in wanted:
        session.output.record("output", **each)
    if key is None:
        show_outputs(session.output, found["stack_name"], wanted)
        session.tell_unserved(wanted)
        return Code.DONE
    error = wanted[0].get("output_error")
    if error:
        raise Stop(f"the output {key} has no value: {error}", Code.FAILED)
    value = wanted[0].get("output_value")
    session.output.say(value if isinstance(value, str) else shown(value))
    session.tell_unserved(value)
    return Code.DONE
