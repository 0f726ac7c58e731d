"""The keys that seal what can be secret, and columns for what was searched in sealed ones.

The rows themselves are sealed by `hotplate.store.resealing` afterwards, for that needs the key
file. What exists is left alone, so that this can be run again where a server without transactional
DDL was interrupted.
"""

import json
import re
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

from alembic import op
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Double,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    bindparam,
    column,
    inspect,
    select,
    table,
    text,
    update,
)

revision = "0012"
down_revision = "0011"

_METADATA = MetaData()
_BATCH = 500
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_EXACT: dict[str, Any] = {
    f"{dialect}_{option}": value
    for dialect in ("mysql", "mariadb")
    for option, value in (
        ("engine", "InnoDB"),
        ("charset", "utf8mb4"),
        ("collate", "utf8mb4_nopad_bin"),
        ("row_format", "DYNAMIC"),
    )
}

Table(
    "data_key",
    _METADATA,
    Column("id", String(16), primary_key=True),
    Column("project", String(64), nullable=False),
    Column("purpose", String(24), nullable=False),
    Column("number", Integer, nullable=False, comment="the one with the greatest seals"),
    Column("master_id", String(32), nullable=False, comment="which key of the key file wraps it"),
    Column("wrapped", Text, nullable=False),
    Column("created_at", Double, nullable=False),
    Column(
        "uses",
        BigInteger().with_variant(Integer(), "sqlite"),
        nullable=False,
        comment="rounded up",
    ),
    Index("data_key_project", "project", "purpose", "number", unique=True),
    comment="What seals the values of each project, wrapped with a key that is not stored here.",
    **_EXACT,
)

_NEW = (
    (
        "version",
        Column("reference_mark", String(64), comment="by which the sealed reference is found"),
    ),
    (
        "version",
        Column(
            "listens", String(64), comment="the mark of the reference whose signals it waits for"
        ),
    ),
    ("version", Column("awaits", String(36), comment="the execution that the cookie names")),
    (
        "workflow_action",
        Column(
            "calls",
            Boolean,
            nullable=False,
            server_default=text("'0'"),
            comment="it is the call of another workflow",
        ),
    ),
)

_VERSION = table(
    "version",
    *map(
        column,
        ("id", "reference", "cookie", "definition", "reference_mark", "listens", "awaits"),
    ),
)


def upgrade() -> None:
    """Add the table and the columns, and fill these from what is not sealed yet."""
    connection = op.get_bind()
    _METADATA.create_all(connection)
    inspected = inspect(connection)
    for name, new in _NEW:
        if new.name not in {each["name"] for each in inspected.get_columns(name)}:
            op.add_column(name, new)
    like = 'details LIKE \'%"child_id": "%\''
    op.execute(text(f"UPDATE workflow_action SET calls = {_true(connection)} WHERE {like}"))  # noqa: S608 (constants)
    # It was a hash of what is sealed; now it is computed from it.
    op.execute(text("UPDATE workflow_definition SET checksum = NULL"))
    filling = (
        update(_VERSION)
        .where(_VERSION.c.id == bindparam("at"))
        .values({name: bindparam(f"to_{name}") for name in ("reference_mark", "listens", "awaits")})
    )
    for rows in _pages(connection):
        filled = [_filled(row) for row in rows]
        if changed := [row for row in filled if any(row[key] for key in row if key != "at")]:
            connection.execute(filling, changed)


def _pages(connection: Connection) -> Iterator[list[Any]]:
    last = -1
    while True:
        query = select(_VERSION).where(_VERSION.c.id > last).order_by(_VERSION.c.id).limit(_BATCH)
        rows = list(connection.execute(query))
        if not rows:
            return
        yield rows
        last = rows[-1].id


def _filled(row: Any) -> dict[str, Any]:
    properties = json.loads(row.definition).get("properties") or {}
    handle = properties.get("handle", properties.get("Handle"))
    cookie = None if row.cookie is None else json.loads(row.cookie)
    named = cookie.get("id") if isinstance(cookie, dict) else None
    is_execution = isinstance(named, str) and _UUID.fullmatch(named)
    return {
        "at": row.id,
        "to_reference_mark": None if row.reference is None else _mark(row.reference),
        "to_listens": _mark(handle) if isinstance(handle, str) else None,
        "to_awaits": named if is_execution else None,
    }


def _mark(reference: str) -> str:
    return blake2b(reference.encode(), person=b"reference", digest_size=32).hexdigest()


def _true(connection: Connection) -> str:
    return "TRUE" if connection.dialect.name == "postgresql" else "1"
