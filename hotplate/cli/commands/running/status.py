"""`hotplate status`: the workers of a database, and what waits for them."""

import dataclasses
import os
from typing import TYPE_CHECKING, Any

import click

from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.commands.running.db import database_options, on_database
from hotplate.cli.output.output import Output
from hotplate.server import DeadLetters, configure, status_of

if TYPE_CHECKING:
    from hotplate.server import ClusterStatus


@command(
    "status",
    examples=[
        ("hotplate status", "What goes on, and what waits:"),
        ("hotplate status --dead-letters", "With the messages that were laid aside:"),
        ("hotplate status --remove-dead-letters", "The same, and away with them:"),
    ],
)
@click.option(
    "--dead-letters", is_flag=True, help="Show what the broker laid aside; it stays there."
)
@click.option(
    "--remove-dead-letters", is_flag=True, help="Show what the broker laid aside, and remove it."
)
@database_options
def status(
    dead_letters: bool,
    remove_dead_letters: bool,
    database: str | None,
    key_file: str | None,
    form: str,
) -> int:
    """Show the workers, how much waits, and what holds up the stack that takes longest.

    It looks into the database and, if one is configured, at the broker.
    """
    from hotplate.store.upgrade import upgrade

    output = Output(form)

    def work(engine: Any, sealer: object) -> None:
        del sealer
        upgrade(engine)
        configuration = configure({"database": database, "key_file": key_file}, os.environ)
        letters = DeadLetters(dead_letters or remove_dead_letters, remove_dead_letters)
        found = status_of(engine, configuration, letters)
        output.record("status", **dataclasses.asdict(found))
        for line in _lines(found):
            output.say(line)

    return on_database(database, key_file, output, work)


def _lines(found: "ClusterStatus") -> list[str]:
    lines = []
    for each in found.workers:
        state = "alive" if each.is_alive else "dead"
        host = f" on {each.host}" if each.host else ""
        lines.append(f"worker {each.id}{host}: {state}, heard {each.silent_seconds} s ago")
    if not found.workers:
        lines.append("no worker is known")
    counts = ", ".join(f"{count} {state}" for state, count in sorted(found.nodes.items()))
    lines.append(f"nodes: {counts or 'none'}")
    if found.oldest is not None:
        old = found.oldest
        lines.append(
            f"waiting longest: {old.resource} in stack {old.stack} of project {old.project}, "
            f"for {old.seconds} s: {old.reason}"
        )
    if found.broker is not None:
        broker = found.broker
        state = broker.trouble or f"{broker.ready} messages wait, {broker.dead} dead letters"
        lines.append(f"broker {broker.url}: {state}")
    lines += [
        f"dead letter after {each['deliveries']} deliveries ({each['reason']}): {each['body']}"
        for each in found.dead_letters
    ]
    return lines
