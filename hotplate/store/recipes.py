"""Queries on contents and recipes: one row for each content of a project, found by its digest.

What is a digest outside of this package is encrypted in the tables, with the project's own key:
who reads them cannot tell a guess by its digest, nor whether two projects have the same content.

Whoever keeps something holds a shared lock on its row until the end of the transaction, whether
the row was there before or not. So the purge cannot remove it before the reference is committed.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Table, bindparam, select

from hotplate.store.prepared import Prepared, PreparedList
from hotplate.store.schema import content, inclusion, recipe, unless_known
from hotplate.store.sealing import seals_of

_CHUNK = 500
_CONTENTS = select(content).where(content.c.digest.in_(bindparam("digests", expanding=True)))
_TEMPLATES = (
    select(recipe.c.digest, content.c.digest, content.c.body)
    .join(content, content.c.digest == recipe.c.template)
    .where(recipe.c.digest.in_(bindparam("digests", expanding=True)))
)
_CONTENT = "content|body"
_RECIPE_BODY = "recipe|body"
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
_INSERTS: dict[tuple[str, Table], Prepared] = {}
"""By the kind of database, which has words of its own for this, and the table."""


def digest_of(body: str) -> str:
    """Return the name of a content."""
    return sha256(body.encode()).hexdigest()


def recipe_text(body: dict[str, Any]) -> str:
    """Return a recipe's body as it is stored."""
    return json.dumps(body, sort_keys=True)


def sealed_contents(
    connection: Connection, project: str, digests: Mapping[str, str]
) -> dict[str, str]:
    """Return texts as they are stored, by their digests. Writes keys, and nothing else."""
    seals = seals_of(connection, project)
    return {
        digest: seals.seal(_CONTENT, seals.stored(digest), text) for text, digest in digests.items()
    }


def keep_contents(
    connection: Connection,
    project: str,
    bodies: Iterable[str],
    digests: Mapping[str, str] | None = None,
    sealed: Mapping[str, str] | None = None,
) -> set[str]:
    """Store the texts that are not stored yet; return the digests of those.

    ``digests`` and ``sealed`` are what is known already: of large texts both take a while.
    """
    seals = seals_of(connection, project)
    known, at_hand = digests or {}, sealed or {}
    all_of_them = {body: known.get(body) or digest_of(body) for body in bodies}
    wanted = {seals.stored(digest): (digest, body) for body, digest in all_of_them.items()}

    def row(key: str) -> dict[str, Any]:
        digest, text = wanted[key]
        return {"digest": key, "body": at_hand.get(digest) or seals.seal(_CONTENT, key, text)}

    stored = _keep(connection, content, wanted, row)
    return {wanted[key][0] for key in stored}


def keep_inclusions(
    connection: Connection, project: str, holder: str, contents: Iterable[str]
) -> None:
    """Note which contents a new content names, so that they last as long as it does."""
    stored = seals_of(connection, project).stored
    rows = [
        {"holder": stored(holder), "content": each} for each in sorted(set(map(stored, contents)))
    ]
    if rows:
        connection.execute(unless_known(connection, inclusion), rows)


def templates_of(connection: Connection, project: str, digests: Iterable[str]) -> dict[str, str]:
    """Return the texts of recipes' templates, by the digests of the recipes."""
    seals = seals_of(connection, project)
    found: dict[str, str] = {}
    for chunk in _chunks(sorted(map(seals.stored, digests))):
        for key, content_key, body in connection.execute(_TEMPLATES, {"digests": chunk}):
            found[seals.digest(key)] = seals.open(_CONTENT, content_key, body)
    return found


def read_contents(connection: Connection, project: str, digests: Iterable[str]) -> dict[str, str]:
    """Return texts by digest."""
    seals = seals_of(connection, project)
    found: dict[str, str] = {}
    for chunk in _chunks(sorted(map(seals.stored, digests))):
        for key, body in connection.execute(_CONTENTS, {"digests": chunk}):
            found[seals.digest(key)] = seals.open(_CONTENT, key, body)
    return found


def keep_recipe(connection: Connection, project: str, body: dict[str, Any]) -> str:
    """Store a recipe unless it is stored already; return its digest.

    What it names as its template, environment and files must have been kept before, in the same
    transaction.
    """
    return keep_recipes(connection, project, [body])[0]


def keep_recipes(
    connection: Connection, project: str, bodies: Iterable[dict[str, Any]]
) -> list[str]:
    """Store several recipes in the same way; return their digests in the same order."""
    seals = seals_of(connection, project)
    digests = []
    wanted: dict[str, tuple[str, dict[str, Any]]] = {}
    for body in bodies:
        text = recipe_text(body)
        digest = digest_of(text)
        digests.append(digest)
        wanted[seals.stored(digest)] = (text, body)

    def row(key: str) -> dict[str, Any]:
        text, body = wanted[key]
        names = {name: seals.stored(body[name]) for name in ("template", "environment", "files")}
        return {"digest": key, "body": seals.seal(_RECIPE_BODY, key, text), **names}

    _keep(connection, recipe, wanted, row)
    return digests


def read_recipe(connection: Connection, project: str, digest: str) -> dict[str, Any]:
    """Return a recipe. It must exist."""
    seals = seals_of(connection, project)
    key = seals.stored(digest)
    body = connection.execute(_RECIPE, {"digest": key}).scalar_one()
    return json.loads(seals.open(_RECIPE_BODY, key, body))


def _keep(
    connection: Connection,
    table: Table,
    wanted: Iterable[str],
    row: Callable[[str], dict[str, Any]],
) -> set[str]:
    """Store rows that are not stored yet and hold them all; return the keys of the new ones."""
    stored: set[str] = set()
    missing = sorted(wanted)
    while missing:
        locked = {found[0] for found in _LOCKED[table].rows(connection, missing)}
        missing = [key for key in missing if key not in locked]
        if missing:
            # Another transaction may be faster, and a purge faster still: look again.
            _insert(connection, table, list(map(row, missing)))
            stored.update(missing)
    return stored


def _insert(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    key = connection.dialect.name, table
    if key not in _INSERTS:
        _INSERTS[key] = Prepared(unless_known(connection, table), table.c.keys())
    _INSERTS[key].run_all(connection, [tuple(map(each.get, table.c.keys())) for each in rows])


def _chunks(digests: list[str]) -> Iterable[list[str]]:
    for start in range(0, len(digests), _CHUNK):
        yield digests[start : start + _CHUNK]
