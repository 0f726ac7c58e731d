"""`hotplate ls`: which stacks there are."""

from typing import Any

import click

from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.session.session import Purpose, Session, with_session
from hotplate.cli.view.table import show_table
from hotplate.client import Document

_TAG_MODES = {"all": "tags", "any": "tags_any", "not": "not_tags", "not-any": "not_tags_any"}


@command(
    "ls",
    examples=[
        ("hotplate ls", "All stacks, the newest first:"),
        ("hotplate ls --status FAILED", "Those that need attention:"),
        ("hotplate ls --output json | jq -r .stack_name", "For a script:"),
    ],
)
@click.option("--nested", is_flag=True, help="Nested stacks as well.")
@click.option("--deleted", is_flag=True, help="Deleted stacks as well.")
@click.option("--status", metavar="STATUS", help="Only those with this status, such as FAILED.")
@click.option("--hidden", is_flag=True, help="Hidden stacks as well.")
@click.option("--all-projects", is_flag=True, help="Of all projects; for administrators.")
@click.option("--tags", metavar="TAG,TAG", help="Only those with all these tags.")
@click.option(
    "--tag-mode",
    type=click.Choice(list(_TAG_MODES)),
    default="all",
    help="any: with one of the tags; not: not with all of them; not-any: with none.",
)
@click.option(
    "--property",
    "properties",
    multiple=True,
    metavar="KEY=VALUE",
    help="Only those that fit, such as name=app.",
)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the first N.")
@click.option("--marker", metavar="ID", help="Only those after this one.")
@click.option("--sort", metavar="KEY[:asc|desc]", help="By stack_name, creation_time, …")
@with_session
async def ls(session: Session, **wanted: Any) -> None:
    """List the stacks of the project."""
    async with session.api(Purpose.LIST) as api:
        stacks = await api.stacks(**_query(**wanted))
    show_stacks(session, stacks)


def _query(
    nested: bool,
    deleted: bool,
    hidden: bool,
    all_projects: bool,
    status: str | None,
    tags: str | None,
    tag_mode: str,
    properties: tuple[str, ...],
    limit: int | None,
    marker: str | None,
    sort: str | None,
) -> dict[str, Any]:
    query: dict[str, Any] = {}
    for given in properties:
        key, equals, value = given.partition("=")
        if not equals:
            raise click.BadParameter(f'"{given}" is not of the form KEY=VALUE')
        query[key] = value
    if hidden:
        query["show_hidden"] = "true"
    if all_projects:
        query["global_tenant"] = "true"
    if limit:
        query["limit"] = limit
    if marker:
        query["marker"] = marker
    if sort:
        key, _, direction = sort.partition(":")
        query |= {"sort_keys": key, "sort_dir": direction or "asc"}
    if nested:
        query["show_nested"] = "true"
    if deleted:
        query["show_deleted"] = "true"
    if status:
        query["status"] = status.upper()
    if tags:
        query[_TAG_MODES[tag_mode]] = tags
    return query


def show_stacks(session: Session, stacks: list[Document]) -> None:
    """Print stacks as a table, or each as an object."""
    for stack in stacks:
        session.output.record("stack", **stack)
    show_table(
        session.output,
        ("NAME", "STATUS", "SINCE", "ID"),
        [
            (
                each["stack_name"],
                each["stack_status"],
                each.get("updated_time") or each["creation_time"],
                each["id"],
            )
            for each in stacks
        ],
        "no stacks yet; `hotplate up TEMPLATE` makes one",
    )
