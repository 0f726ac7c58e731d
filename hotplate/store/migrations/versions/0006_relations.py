"""Whose the objects of versions are, who holds an object, and a lock for changing that.

What exists is left alone, so that this can be run again where a server without transactional DDL
was interrupted.
"""

from typing import Any

from alembic import op
from sqlalchemy import BigInteger, Column, Integer, MetaData, String, Table, inspect, text

revision = "0006"
down_revision = "0005"

_METADATA = MetaData()
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

_LATCH = Table(
    "latch",
    _METADATA,
    Column("name", String(24), primary_key=True),
    Column("turns", BigInteger().with_variant(Integer(), "sqlite"), nullable=False, default=0),
    comment="What one transaction at a time may do, in all processes: its row is locked for it.",
    **_EXACT,
)


def upgrade() -> None:
    """Add the column, the index and the table with its row."""
    inspector = inspect(op.get_bind())
    if "relation" not in {column["name"] for column in inspector.get_columns("version")}:
        op.add_column(
            "version",
            Column(
                "relation",
                String(24),
                nullable=False,
                server_default=text("'managed'"),
                comment="whose the object is",
            ),
        )
    if "version_physical" not in {index["name"] for index in inspector.get_indexes("version")}:
        op.create_index(
            "version_physical",
            "version",
            ["physical_id"],
            postgresql_using="hash",
            mysql_length=64,
            mariadb_length=64,
        )
    _METADATA.create_all(op.get_bind())
    # Made here, so that two who are the first to need it do not both try to make it.
    row = _LATCH.select().where(_LATCH.c.name == "objects")
    if op.get_bind().execute(row).first() is None:
        op.bulk_insert(_LATCH, [{"name": "objects", "turns": 0}])
