"""`hotplate db keys`, `add-key` and `rekey`: the keys that seal a database."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.commands.running.db import database_options, on_database
from hotplate.cli.output.exit_codes import Code, Stop
from hotplate.cli.output.output import Output

if TYPE_CHECKING:
    from hotplate.store.sealing import Sealer


@command("keys", examples=[("hotplate db keys", "Which keys are in use:")])
@database_options
def keys(database: str | None, key_file: str | None, form: str) -> int:
    """List the data keys of all projects: what wraps them, and how many values each seals.

    A master key that wraps none of them is needed only for older backups.
    """
    from hotplate.cli.view.table import show_table
    from hotplate.store.database import transact
    from hotplate.store.resealing.rekey import key_uses
    from hotplate.store.upgrade import upgrade

    output = Output(form)

    def work(engine: Any, sealer: "Sealer") -> None:
        upgrade(engine)
        rows = []
        for each in transact(engine, key_uses):
            made = datetime.fromtimestamp(each.created_at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            use = "present" if each.is_present else "older"
            output.record(
                "key",
                id=each.id,
                project=each.project,
                master=each.master_id,
                created=made,
                use=use,
                values=each.values,
            )
            rows.append((each.id, each.project, each.master_id, made, use, f"{each.values:,}"))
        heads = ("KEY", "PROJECT", "MASTER", "CREATED", "USE", "VALUES")
        show_table(output, heads, rows, "nothing is sealed yet")

    return on_database(database, key_file, output, work)


@command("add-key", examples=[("hotplate db add-key", "Before `hotplate db rekey`:")])
@database_options
def add_key(database: str | None, key_file: str | None, form: str) -> int:
    """Put a new master key before the others of the key file.

    Copy the file to all servers of the database, start them anew, and run `hotplate db rekey`.
    """
    from hotplate.store.upgrade import upgrade

    output = Output(form)

    def work(engine: Any, sealer: "Sealer") -> None:
        upgrade(engine)
        made = sealer.file.add()
        output.record("added", master=made, file=str(sealer.file.path))
        output.say(f"the master key {made} is the first of {sealer.file.path}")

    return on_database(database, key_file, output, work)


@command("rekey", examples=[("hotplate db rekey", "After `hotplate db add-key`:")])
@database_options
def rekey(database: str | None, key_file: str | None, form: str) -> int:
    """Wrap the data keys with the first master key, and seal everything with new data keys.

    Safe beside running servers whose key files have that master key. If it is interrupted, run it
    again: it goes on where it was.
    """
    from hotplate.store.resealing.rekey import rekey as run
    from hotplate.store.upgrade import upgrade

    output = Output(form)

    def work(engine: Any, sealer: "Sealer") -> None:
        upgrade(engine)
        done = run(engine, sealer)
        counts = {"keys": done.keys, "projects": done.projects, "values": done.values}
        output.record("rekeyed", **counts, left=done.left)
        output.say(
            f"{done.keys:,} data keys wrapped anew, new ones for {done.projects:,} projects, "
            f"{done.values:,} values sealed with them"
        )
        if done.left:
            raise Stop(
                f"{done.left:,} values are still sealed with older keys",
                Code.FAILED,
                "run hotplate db rekey again when less is going on",
            )

    return on_database(database, key_file, output, work)
