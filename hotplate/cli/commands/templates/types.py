"""`hotplate types`: which resource types there are, and what they take."""

from urllib.parse import quote

import click

from hotplate.cli.command_line.arguments import complete_type
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.output.exit_codes import Code, Stop
from hotplate.cli.session.session import Session, with_session
from hotplate.cli.view.values import as_yaml
from hotplate.client import Refusal
from hotplate.document.suggestion import did_you_mean


@command(
    "types",
    examples=[
        ("hotplate types", "All types:"),
        ("hotplate types OS::Heat::RandomString", "Properties and attributes of one:"),
        ("hotplate types OS::Heat::RandomString --template", "A template to begin with:"),
    ],
)
@click.argument("type_name", required=False, metavar="[TYPE]", shell_complete=complete_type)
@click.option("--template", is_flag=True, help="Print a template with one resource of the type.")
@with_session
async def types(session: Session, type_name: str | None, template: bool) -> None:
    """List the resource types that the server knows, or show one."""
    async with session.api() as api:
        if type_name is None:
            for name in (await api.call("GET", "/resource_types"))["resource_types"]:
                session.output.record("resource_type", resource_type=name)
                session.output.say(name)
            return
        path = f"/resource_types/{quote(type_name, safe='~:')}"
        try:
            if template:
                query = {"template_type": "hot"}
                found = await api.call("GET", f"{path}/template", query=query)
            else:
                found = await api.call("GET", path, query={"with_description": "true"})
        except Refusal as refusal:
            if not refusal.is_missing:
                raise
            known = (await api.call("GET", "/resource_types"))["resource_types"]
            hint = did_you_mean(type_name, known) or "`hotplate types` lists them"
            raise Stop(f'there is no type "{type_name}"', Code.REFUSED, hint) from None
    session.output.record("resource_type", **found)
    session.output.say(as_yaml(found).rstrip())
