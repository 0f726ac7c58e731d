"""`hotplate resources`: what a stack consists of, as a list."""

from typing import Any
from urllib.parse import unquote, urlsplit

import click

from hotplate.cli.command_line.arguments import stack_argument
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.session.session import Session, with_session
from hotplate.cli.view.short_forms import short_type
from hotplate.cli.view.table import show_table
from hotplate.client import Document

_FILTERS = ("name", "type", "status", "action", "id", "physical_resource_id")


class Depth(click.ParamType):  # type: ignore[type-arg]  # only newer versions of click take any
    """A number of levels, or MAX."""

    name = "depth"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        text = str(value)
        if text.upper() == "MAX":
            return "MAX"
        if not (text.isascii() and text.isdecimal() and len(text) < 7):
            self.fail(f'"{text}" is neither a number nor MAX', param, ctx)
        return text


@command(
    "resources",
    examples=[
        ("hotplate resources app", "The resources of app itself:"),
        ("hotplate resources app -n MAX", "Through all nesting:"),
        ("hotplate resources app -n MAX --filter status=FAILED", "What failed, wherever it is:"),
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
    "--filter",
    "filters",
    multiple=True,
    metavar="KEY=VALUE",
    help=f"Only those that fit; keys are {', '.join(_FILTERS)}.",
)
@click.option("--long", "is_long", is_flag=True, help="Name the stack of each as well.")
@with_session
async def resources(
    session: Session, name: str, depth: str, filters: tuple[str, ...], is_long: bool
) -> None:
    """List the resources of a stack."""
    from hotplate.cli.input.recipe import named_value

    query: list[tuple[str, Any]] = [("nested_depth", depth)]
    for key, value in map(named_value, filters):
        if key not in _FILTERS:
            raise click.BadParameter(f'"{key}" is not one of {", ".join(_FILTERS)}')
        query.append((key, value.upper() if key in ("status", "action") else value))
    async with session.api() as api:
        stack = await session.existing(api, name)
        found = (await api.call("GET", f"{stack.path}/resources", query=query))["resources"]
    for each in found:
        session.output.record("resource", **each, stack_name=stack_name_of(each))
    nested = is_long or depth != "0"
    head = ["NAME", "TYPE", "STATUS", "UPDATED", "PHYSICAL ID"]
    rows = [_row(each) for each in found]
    if nested:
        head += ["STACK", "PARENT"]
        rows = [
            [*row, stack_name_of(each), each.get("parent") or ""]
            for row, each in zip(rows, found, strict=True)
        ]
    show_table(session.output, head, rows, f"{stack.name} has no such resources")


def _row(resource: Document) -> list[str]:
    return [
        resource["resource_name"],
        short_type(resource["resource_type"]),
        resource["resource_status"] + (" (old)" if resource.get("is_old") else ""),
        resource["updated_time"],
        resource.get("physical_resource_id") or "",
    ]


def stack_name_of(resource: Document) -> str:
    """Return the name of the stack that a resource is in."""
    for link in resource.get("links", ()):
        if link.get("rel") == "stack":
            return unquote(urlsplit(link["href"]).path.rsplit("/", 2)[-2])
    return ""
