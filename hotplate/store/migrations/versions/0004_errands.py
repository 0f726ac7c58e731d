"""What is to be done to versions once their stacks are at rest.

What exists is left alone, so that this can be run again where a server without transactional DDL
was interrupted.
"""

from typing import Any

from alembic import op
from sqlalchemy import BigInteger, Column, Double, Index, Integer, MetaData, String, Table, Text
from sqlalchemy.dialects.mysql import LONGTEXT

revision = "0004"
down_revision = "0003"

_METADATA = MetaData()

_Long = Text().with_variant(LONGTEXT(), "mysql", "mariadb")
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
    "errand",
    _METADATA,
    Column("number", _Big, primary_key=True, autoincrement=True),
    Column("stack_id", String(36), nullable=False),
    Column("version_id", _Big, nullable=False),
    Column("at", Double, nullable=False),
    Column("body", _Long, nullable=False, comment="JSON: what is to be done"),
    Index("errand_stack", "stack_id"),
    comment="What is to be done to versions once their stacks are at rest, in this order.",
    sqlite_autoincrement=True,
    **_EXACT,
)


def upgrade() -> None:
    """Add the table."""
    _METADATA.create_all(op.get_bind())
