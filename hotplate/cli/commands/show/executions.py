"""`hotplate executions`: which workflows have run, and how each of them ended."""

from urllib.parse import quote

import click

from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.output.exit_codes import Code, Stop
from hotplate.cli.session.session import Session, with_session
from hotplate.cli.view.short_forms import printable, shown_value
from hotplate.cli.view.table import show_table
from hotplate.cli.view.values import shown
from hotplate.client import Api, Refusal


@command(
    "executions",
    examples=[
        ("hotplate executions", "The newest executions of workflows:"),
        ("hotplate executions --state ERROR --limit 5", "The last that failed:"),
        ("hotplate executions 2a1ddfb2-a46e-47ac-ba19-6e5c590e4138", "What one was given:"),
    ],
)
@click.argument("execution", required=False, metavar="[EXECUTION]")
@click.option("--workflow", "workflow_name", metavar="NAME", help="Only those of a workflow.")
@click.option("--state", metavar="STATE", help="Only those in a state, such as ERROR.")
@click.option("--limit", type=click.IntRange(1), metavar="NUMBER", help="How many at most.")
@with_session
async def executions(
    session: Session,
    execution: str | None,
    workflow_name: str | None,
    state: str | None,
    limit: int | None,
) -> None:
    """List the executions of workflows, the newest first, or show one with its input and output.

    The beginning of an id will do. Those of a Mistral that the configuration names are not
    among them.
    """
    output = session.output
    if execution is not None:
        await _show(session, execution)
        return
    given = {"workflow_name": workflow_name, "state": state and state.upper(), "limit": limit}
    query = {name: value for name, value in given.items() if value}
    async with session.api() as api:
        found = (await api.call("GET", "/executions", query=query))["executions"]
    for each in found:
        output.record("execution", **each)
    rows = [
        (
            each["id"],
            printable(each["workflow_name"]),
            each["state"],
            each["created_at"] or "",
            printable(shown_value(each["state_info"])),
        )
        for each in found
    ]
    columns = ("ID", "WORKFLOW", "STATE", "CREATED", "WHY")
    show_table(output, columns, rows, "no workflow has run here")


async def _whole_id(api: Api, start: str) -> str:
    """Return the id that begins so: a table may have cut it off."""
    start = start.rstrip("…")
    newest = (await api.call("GET", "/executions", query={"limit": 1000}))["executions"]
    fitting = [each["id"] for each in newest if each["id"].startswith(start)]
    return fitting[0] if len(fitting) == 1 else start


async def _show(session: Session, execution: str) -> None:
    output = session.output
    async with session.api() as api:
        try:
            wanted = await _whole_id(api, execution)
            answer = await api.call("GET", f"/executions/{quote(wanted, safe='')}")
        except Refusal as refusal:
            if not refusal.is_missing:
                raise
            hint = "`hotplate executions` lists them"
            raise Stop(f'there is no execution "{execution}"', Code.REFUSED, hint) from None
    found = answer["execution"]
    output.record("execution", **found)
    output.say(click.style(f"{printable(found['workflow_name'])}  {found['id']}", bold=True))
    for key, word in (("state", "state"), ("state_info", "why"), ("description", "description")):
        if found[key]:
            output.say_wrapped(f"  {word}: {printable(found[key])}")
    output.say(f"  created: {found['created_at']}")
    for part in ("input", "output"):
        output.say(f"  {part}: " + shown(found[part]).replace("\n", "\n    "))
