"""Queries on contents and recipes: one row for each content, found by its digest."""

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select
from sqlalchemy.dialects.postgresql import insert as insert_postgresql

from hotplate.store.schema import content, recipe

_CONTENTS = select(content).where(content.c.digest.in_(bindparam("digests", expanding=True)))
_RECIPES = select(recipe).where(recipe.c.digest.in_(bindparam("digests", expanding=True)))


def digest_of(body: str) -> str:
    """Return the name of a content."""
    return sha256(body.encode()).hexdigest()


def recipe_text(body: dict[str, Any]) -> str:
    """Return a recipe's body as it is stored."""
    return json.dumps(body, sort_keys=True)


def keep_contents(connection: Connection, bodies: Iterable[str]) -> None:
    """Store the texts that are not stored yet."""
    wanted = {digest_of(body): body for body in bodies}
    if not wanted:
        return
    known = set(connection.execute(_CONTENTS, {"digests": list(wanted)}).scalars())
    new = [{"digest": key, "body": body} for key, body in wanted.items() if key not in known]
    if new:
        connection.execute(_unless_known(connection, content), new)


def read_contents(connection: Connection, digests: Iterable[str]) -> dict[str, str]:
    """Return texts by digest."""
    rows = connection.execute(_CONTENTS, {"digests": list(digests)})
    return {row.digest: row.body for row in rows}


def keep_recipe(connection: Connection, body: dict[str, Any]) -> str:
    """Store a recipe unless it is stored already; return its digest."""
    text = recipe_text(body)
    digest = digest_of(text)
    if not connection.execute(_RECIPES, {"digests": [digest]}).first():
        connection.execute(_unless_known(connection, recipe), [{"digest": digest, "body": text}])
    return digest


def read_recipe(connection: Connection, digest: str) -> dict[str, Any]:
    """Return a recipe. It must exist."""
    row = connection.execute(_RECIPES, {"digests": [digest]}).one()
    return json.loads(row.body)


def _unless_known(connection: Connection, table: Any) -> Any:
    """Return an insert that does nothing if another transaction was faster."""
    if connection.dialect.name in ("mysql", "mariadb"):
        return insert(table).prefix_with("IGNORE")
    if connection.dialect.name == "postgresql":
        return insert_postgresql(table).on_conflict_do_nothing()
    return insert(table).prefix_with("OR IGNORE")
