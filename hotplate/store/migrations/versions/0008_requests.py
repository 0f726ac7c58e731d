"""Who asked when for what.

What exists is left alone, so that this can be run again where a server without transactional DDL
was interrupted.
"""

from typing import Any

from alembic import op
from sqlalchemy import BigInteger, Column, Double, Index, Integer, MetaData, String, Table

revision = "0008"
down_revision = "0007"

_METADATA = MetaData()

_Big = BigInteger().with_variant(Integer(), "sqlite")

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
    "stack_request",
    _METADATA,
    Column("number", _Big, primary_key=True, autoincrement=True),
    Column("stack_id", String(36), nullable=False),
    Column("sequence", Integer, nullable=False, comment="of the traversal that it began"),
    Column("action", String(24), nullable=False, comment="what was asked for"),
    Column("username", String(255), nullable=False, comment="who asked"),
    Column("at", Double, nullable=False),
    Index("stack_request_stack", "stack_id"),
    comment="Who asked when for what: not what the engine does by itself.",
    sqlite_autoincrement=True,
    **_EXACT,
)


def upgrade() -> None:
    """Add the table."""
    _METADATA.create_all(op.get_bind())
