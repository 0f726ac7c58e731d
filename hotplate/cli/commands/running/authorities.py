"""`hotplate authorities`: with whose rights the stacks of a database are worked on."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.commands.running.db import database_options, on_database
from hotplate.cli.output.output import Output

if TYPE_CHECKING:
    from hotplate.store.authorities import ListedAuthority
    from hotplate.store.sealing import Sealer


@command(
    "authorities",
    examples=[("hotplate authorities", "Who is represented, by what, and whether that is good:")],
)
@database_options
def authorities(database: str | None, key_file: str | None, form: str) -> int:
    """List the authorities with which stacks are worked on when their users are away.

    Each is one user in one project with certain roles, shared by that user's stacks. One that is
    suspended is not accepted by the cloud at present; what needs it waits, and the reason says who
    can repair it.
    """
    from hotplate.cli.view.table import show_table
    from hotplate.store.authorities import list_authorities
    from hotplate.store.database import transact
    from hotplate.store.upgrade import upgrade

    output = Output(form)

    def work(engine: Any, sealer: "Sealer") -> None:
        upgrade(engine)
        rows = []
        for each in transact(engine, list_authorities):
            it, kind = each.authority, _kind(each)
            user = it.user_name or it.user_id
            reason = it.reason or (f"no trust: {it.trust_fault}" if it.trust_fault else "")
            until = _text(it.token_expires) if each.has_token else ""
            output.record(
                "authority",
                id=it.id,
                user=user,
                user_id=it.user_id,
                user_domain=it.user_domain,
                project=it.project,
                region=it.region,
                kind=kind,
                state=it.state.value,
                reason=reason,
                token_expires=until,
                stacks=each.stacks,
            )
            rows.append((user, it.project, kind, it.state.value, f"{each.stacks:,}", reason))
        heads = ("USER", "PROJECT", "KIND", "STATE", "STACKS", "REASON")
        show_table(output, heads, rows, "there are no authorities")

    return on_database(database, key_file, output, work)


def _kind(each: "ListedAuthority") -> str:
    """Return by what the user is represented."""
    kinds = [name for name, has in (("token", each.has_token), ("trust", each.has_trust)) if has]
    return " and ".join(kinds) or "none"


def _text(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
