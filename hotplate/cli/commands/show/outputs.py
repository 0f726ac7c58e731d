"""`hotplate outputs`: the outputs of a stack."""

from urllib.parse import quote

import click

from hotplate.cli.command_line.arguments import complete_output, stack_argument
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.output.exit_codes import Code, Stop
from hotplate.cli.session.session import Purpose, Session, with_session
from hotplate.cli.view.values import show_outputs, shown
from hotplate.client import name_of


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
        if key is not None and wanted:
            # Of one output the server looks at what changes by itself.
            address = f"{name_of(found).path}/outputs/{quote(key, safe='~')}"
            wanted = [(await api.call("GET", address))["output"]]
    if key is not None and not wanted:
        from hotplate.document.suggestion import did_you_mean

        known = [each["output_key"] for each in every]
        hint = did_you_mean(key, known) or (f"there are {', '.join(known)}" if known else "")
        raise Stop(f'{found["stack_name"]} has no output "{key}"', Code.REFUSED, hint)
    for each in wanted:
        session.output.record("output", **each)
    if key is None:
        show_outputs(session.output, found["stack_name"], wanted)
        session.warn_if_unserved(wanted)
        return Code.DONE
    error = wanted[0].get("output_error")
    if error:
        raise Stop(f"the output {key} has no value: {error}", Code.FAILED)
    if wanted[0].get("output_note"):
        session.output.note(wanted[0]["output_note"])
    value = wanted[0].get("output_value")
    session.output.say(value if isinstance(value, str) else shown(value))
    session.warn_if_unserved(value)
    return Code.DONE
