"""`hotplate ls`: which stacks there are."""

from typing import Any

import click

from hotplate.cli.commanding import command
from hotplate.cli.session import Purpose, Session, with_session
from hotplate.cli.view.table import show_table
from hotplate.client.api import Document


@command(
    "ls",
    examples=[
        ("hotplate ls", "All stacks, the newest first:"),
        ("hotplate ls --status FAILED", "Those that need somebody:"),
        ("hotplate ls --output json | jq -r .stack_name", "For a script:"),
    ],
)
@click.option("--nested", is_flag=True, help="Stacks inside stacks as well.")
@click.option("--deleted", is_flag=True, help="Deleted stacks as well.")
@click.option("--status", metavar="STATUS", help="Only those with this status, such as FAILED.")
@click.option("--tags", metavar="TAG,TAG", help="Only those with all these tags.")
@with_session
async def ls(
    session: Session, nested: bool, deleted: bool, status: str | None, tags: str | None
) -> None:
    """List the stacks of the project."""
    query: dict[str, Any] = {}
    if nested:
        query["show_nested"] = "true"
    if deleted:
        query["show_deleted"] = "true"
    if status:
        query["status"] = status.upper()
    if tags:
        query["tags"] = tags
    async with session.api(Purpose.LIST) as api:
        stacks = await api.stacks(**query)
    show_stacks(session, stacks)


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
