"""Authorities, and which stack is worked on with which.

What exists is left alone, so that this can be run again where a server without transactional DDL
was interrupted.
"""

from typing import Any

from alembic import op
from sqlalchemy import (
    Boolean,
    Column,
    Double,
    Index,
    MetaData,
    String,
    Table,
    Text,
    inspect,
)
from sqlalchemy.dialects.mysql import LONGTEXT

revision = "0013"
down_revision = "0012"

_METADATA = MetaData()
_Long = Text().with_variant(LONGTEXT(), "mysql", "mariadb")

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
    "authority",
    _METADATA,
    Column("id", String(64), primary_key=True, comment="of the user, the project and the roles"),
    Column("user_id", String(64), nullable=False),
    Column("user_name", String(255), nullable=False),
    Column("user_domain", String(64), nullable=False),
    Column("project", String(64), nullable=False),
    Column("project_name", String(255), nullable=False),
    Column("roles", _Long, nullable=False, comment="JSON: the ids of the roles"),
    Column("region", String(255), nullable=False),
    Column("is_delegated", Boolean, nullable=False, comment="its tokens can make no trust"),
    Column("token", _Long, nullable=False, comment="the newest that its user came with, or empty"),
    Column("token_expires", Double, nullable=False),
    Column("catalog", _Long, nullable=False, comment="JSON: where the services are"),
    Column("trust", _Long, nullable=False, comment="the id of the trust, or empty"),
    Column("trust_fault", _Long, nullable=False, comment="why there is no trust that is needed"),
    Column("state", String(24), nullable=False),
    Column("reason", _Long, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("changed_at", Double, nullable=False, comment="of the state, the token or the trust"),
    Index("authority_state", "state"),
    comment="With whose rights clouds are called after a request was answered.",
    **_EXACT,
)

_NEW = (
    Column("authority_id", String(64), comment="with whose rights it is worked on"),
    Column("visitor_id", String(64), comment="the same for checks and other visits"),
)
_INDEXES = {"stack_authority": "authority_id", "stack_visitor": "visitor_id"}


def upgrade() -> None:
    """Add the table, the columns and their indexes; no stack has an authority yet."""
    connection = op.get_bind()
    _METADATA.create_all(connection)
    inspected = inspect(connection)
    known = {each["name"] for each in inspected.get_columns("stack")}
    for column in _NEW:
        if column.name not in known:
            op.add_column("stack", column)
    indexed = {each["name"] for each in inspected.get_indexes("stack")}
    for name, column_name in _INDEXES.items():
        if name not in indexed:
            op.create_index(name, "stack", [column_name])
