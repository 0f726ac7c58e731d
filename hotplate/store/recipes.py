"""Queries on contents and recipes: one row for each content, found by its digest.

Whoever keeps something holds a shared lock on its row until the end of the transaction, whether
the row was there before or not. So the purge cannot remove it before the reference is committed.
"""

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Table, bindparam, insert, select

from hotplate.store.prepared import PreparedList
from hotplate.store.schema import content, inclusion, recipe

_CHUNK = 500
_CONTENTS = select(content).where(content.c.digest.in_(bindparam("digests", expanding=True)))
_TEMPLATES = (
    select(recipe.c.digest, content.c.body)
    .join(content, content.c.digest == recipe.c.template)
    .where(recipe.c.digest.in_(bindparam("digests", expanding=True)))
)
_RECIPE = select(recipe.c.body).where(recipe.c.digest == bindparam("digest"))
_LOCKED = {
    table: PreparedList(
        select(table.c.digest)
        .where(table.c.digest.in_(bindparam("digests", expanding=True)))
        .order_by(table.c.digest)
        .with_for_update(read=True, key_share=True),
        "digests",
    )
    for table in (content, recipe)
}


def digest_of(body: str) -> str:
    """Return the name of a content."""
    return sha256(body.encode()).hexdigest()


def recipe_text(body: dict[str, Any]) -> str:
    """Return a recipe's body as it is stored."""
    return json.dumps(body, sort_keys=True)


def keep_contents(connection: Connection, bodies: Iterable[str]) -> set[str]:
    """Store the texts that are not stored yet; return the digests of those."""
    wanted = {digest_of(body): body for body in bodies}
    return _keep(
        connection, content, {key: {"digest": key, "body": body} for key, body in wanted.items()}
    )


def keep_inclusions(connection: Connection, holder: str, contents: Iterable[str]) -> None:
    """Note which contents a new content names, so that they last as long as it does."""
    rows = [{"holder": holder, "content": digest} for digest in sorted(set(contents))]
    if rows:
        connection.execute(unless_known(connection, inclusion), rows)


def templates_of(connection: Connection, digests: Iterable[str]) -> dict[str, str]:
    """Return the texts of recipes' templates, by the digests of the recipes."""
    found: dict[str, str] = {}
    for chunk in _chunks(sorted(digests)):
        rows = connection.execute(_TEMPLATES, {"digests": chunk})
        found.update((row.digest, row.body) for row in rows)
    return found


def read_contents(connection: Connection, digests: Iterable[str]) -> dict[str, str]:
    """Return texts by digest."""
    found: dict[str, str] = {}
    for chunk in _chunks(sorted(digests)):
        rows = connection.execute(_CONTENTS, {"digests": chunk})
        found.update((row.digest, row.body) for row in rows)
    return found


def keep_recipe(connection: Connection, body: dict[str, Any]) -> str:
    """Store a recipe unless it is stored already; return its digest.

    What it names as its template, environment and files must have been kept before, in the same
    transaction.
    """
    return keep_recipes(connection, [body])[0]


def keep_recipes(connection: Connection, bodies: Iterable[dict[str, Any]]) -> list[str]:
    """Store several recipes in the same way; return their digests in the same order."""
    digests = []
    rows = {}
    for body in bodies:
        text = recipe_text(body)
        digest = digest_of(text)
        digests.append(digest)
        row = {key: body[key] for key in ("template", "environment", "files")}
        rows[digest] = {"digest": digest, "body": text, **row}
    _keep(connection, recipe, rows)
    return digests


def read_recipe(connection: Connection, digest: str) -> dict[str, Any]:
    """Return a recipe. It must exist."""
    return json.loads(connection.execute(_RECIPE, {"digest": digest}).scalar_one())


def _keep(connection: Connection, table: Table, rows: Mapping[str, dict[str, Any]]) -> set[str]:
    """Store rows that are not stored yet and hold them all; return the digests of the new ones."""
    stored: set[str] = set()
    missing = sorted(rows)
    while missing:
        locked = {row[0] for row in _LOCKED[table].rows(connection, missing)}
        missing = [digest for digest in missing if digest not in locked]
        if missing:
            # Another transaction may be faster, and a purge faster still: look again.
            connection.execute(unless_known(connection, table), [rows[key] for key in missing])
            stored.update(missing)
    return stored


def _chunks(digests: list[str]) -> Iterable[list[str]]:
    for start in range(0, len(digests), _CHUNK):
        yield digests[start : start + _CHUNK]


def unless_known(connection: Connection, table: Table) -> Any:
    """Return an insert that does nothing if another transaction was faster."""
    if connection.dialect.name in ("mysql", "mariadb"):
        return insert(table).prefix_with("IGNORE")
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql  # noqa: PLC0415 (heavy; others do without it)

        return postgresql.insert(table).on_conflict_do_nothing()
    return insert(table).prefix_with("OR IGNORE")
