"""`hotplate db …`: care for the database itself; the only commands that do not ask the API."""

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from hotplate.cli.command_line.lazy_commands import LazyGroup, command
from hotplate.cli.output.exit_codes import Code
from hotplate.cli.output.output import FORMS, Output

if TYPE_CHECKING:
    from hotplate.store.sealing import Sealer

db = LazyGroup(
    "db",
    help="Care for the database.",
    lazy={
        "upgrade": ("running.db:upgrade", "Bring the schema up to date."),
        "purge": ("running.db:purge", "Remove old rows that nothing refers to."),
        "keys": ("running.db_keys:keys", "List the keys that seal the database."),
        "add-key": ("running.db_keys:add_key", "Put a new master key into the key file."),
        "rekey": ("running.db_keys:rekey", "Seal the database with new keys."),
    },
)

_AGE = re.compile(r"(\d{1,6})([smhdw]?)", re.ASCII)
_UNITS = {"s": 1, "m": 60, "h": 3600, "": 86400, "d": 86400, "w": 7 * 86400}


class Age(click.ParamType):  # type: ignore[type-arg]  # only newer versions of click take any
    """A length of time: 30d, 12h, 90m; days if no unit is given."""

    name = "age"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        found = _AGE.fullmatch(str(value))
        if found is None:
            self.fail(f'"{value}" is not an age; write 30d, 12h or 90m', param, ctx)
        return float(int(found[1]) * _UNITS[found[2]])


def database_options(function: Any) -> Any:
    """Add the options that all of these commands have."""
    function = click.option(
        "--output", "form", type=click.Choice(FORMS), default="text", help="text or json."
    )(function)
    function = click.option(
        "--key-file", metavar="FILE", help="Its master keys [~/.config/hotplate/secrets.key]."
    )(function)
    return click.option("--database", metavar="URL", help="Which one [that of this user].")(
        function
    )


def on_database(
    database: str | None,
    key_file: str | None,
    output: Output,
    work: Callable[[Any, "Sealer"], None],
) -> int:
    """Run work on a database, and say what is wrong with that if need be; return the exit code."""
    from hotplate.server import CannotStart, configure, explained_errors
    from hotplate.store.database import make_file, open_engine
    from hotplate.store.sealing import KeyFile, Sealer

    try:
        configuration = configure({"database": database, "key_file": key_file}, os.environ)
        with explained_errors(configuration):
            make_file(configuration.database)
            sealer = Sealer(KeyFile(configuration.key_file))
            engine = open_engine(configuration.database, sealer)
            try:
                work(engine, sealer)
            finally:
                engine.dispose()
    except CannotStart as fault:
        code = Code.USAGE if fault.code == 2 else Code.FAILED
        output.error(str(fault), code)
        return code
    return Code.DONE


@command("upgrade", examples=[("hotplate db upgrade", "Before the servers are started:")])
@database_options
def upgrade(database: str | None, key_file: str | None, form: str) -> int:
    """Bring the schema of the database up to date; an SQLite file is copied first.

    Servers and commands do the same by themselves when they start.
    """
    from hotplate.store.upgrade import known_revisions
    from hotplate.store.upgrade import upgrade as run

    output = Output(form)

    def work(engine: Any, sealer: "Sealer") -> None:
        backup = run(engine)
        schema = known_revisions()[-1]
        output.record("upgraded", schema=schema, backup=str(backup) if backup else None)
        output.say(f"the schema is {schema}{f'; the old file is {backup}' if backup else ''}")

    return on_database(database, key_file, output, work)


@command(
    "purge",
    examples=[
        ("hotplate db purge --stacks 30d --events 90d --executions 30d", "What is old:"),
        ("hotplate db purge", "Only templates and files that nothing refers to:"),
    ],
)
@click.option("--stacks", "stack_age", type=Age(), metavar="AGE", help="Stacks deleted before.")
@click.option("--events", "event_age", type=Age(), metavar="AGE", help="Events from before.")
@click.option(
    "--executions",
    "execution_age",
    type=Age(),
    metavar="AGE",
    help="Executions of workflows that ended before.",
)
@database_options
def purge(
    stack_age: float | None,
    event_age: float | None,
    execution_age: float | None,
    database: str | None,
    key_file: str | None,
    form: str,
) -> int:
    """Remove deleted stacks, events, executions, and what nothing refers to any more.

    The last are templates, environments and files without a stack, and texts of workflows without
    an execution.

    Safe beside running servers.
    """
    from hotplate.store.purge import purge as run
    from hotplate.store.upgrade import upgrade as bring_up_to_date

    output = Output(form)

    def work(engine: Any, sealer: "Sealer") -> None:
        bring_up_to_date(engine)
        purged = run(engine, stack_age, event_age, execution_age)
        counts = {
            "stacks": purged.stacks,
            "events": purged.events,
            "recipes": purged.recipes,
            "contents": purged.contents,
            "executions": purged.executions,
            "actions": purged.actions,
            "definitions": purged.definitions,
        }
        output.record("purged", **counts)
        summary = ", ".join(f"{number:,} {name}" for name, number in counts.items())
        output.say(f"removed {summary}")

    return on_database(database, key_file, output, work)
