"""What the API keeps: who made a stack; signals; software configs and their deployments.

What exists is left alone, so that this can be run again where a server without transactional DDL
was interrupted.
"""

from typing import Any

from alembic import op
from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    inspect,
    text,
)
from sqlalchemy.dialects.mysql import LONGTEXT

revision = "0002"
down_revision = "0001"

_METADATA = MetaData()

_Id = String(36)
_Name = String(255)
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
_NEVER_AGAIN: dict[str, Any] = {"sqlite_autoincrement": True}

Table(
    "software_config",
    _METADATA,
    Column("number", _Big, primary_key=True, autoincrement=True),
    Column("id", _Id, nullable=False, unique=True),
    Column("project", String(64), nullable=False),
    Column("name", _Name),
    Column("group", _Name, comment="the tool on the server that applies it"),
    Column("config", _Long, nullable=False, comment="JSON: a text or a map"),
    Column("inputs", _Long, nullable=False),
    Column("outputs", _Long, nullable=False),
    Column("options", _Long, nullable=False),
    Column("created_at", Double, nullable=False),
    Index("software_config_project", "project", "number"),
    **_EXACT,
    **_NEVER_AGAIN,
)

Table(
    "software_deployment",
    _METADATA,
    Column("number", _Big, primary_key=True, autoincrement=True),
    Column("id", _Id, nullable=False, unique=True),
    Column("project", String(64), nullable=False),
    Column("config_id", _Id, nullable=False),
    Column("server_id", _Name, nullable=False),
    Column("input_values", _Long, nullable=False),
    Column("output_values", _Long, comment="null until there are any"),
    Column("action", _Name),
    Column("status", _Name),
    Column("reason", _Long, nullable=False),
    Column("stack_user_project_id", String(64), comment="of the server's own user"),
    Column("stack_id", _Id, comment="whose resource it is; null if nobody's"),
    Column("created_at", Double, nullable=False),
    Column("updated_at", Double),
    Index("software_deployment_project", "project", "number"),
    Index("software_deployment_server", "server_id"),
    Index("software_deployment_config", "config_id"),
    **_EXACT,
    **_NEVER_AGAIN,
)

Table(
    "received_signal",
    _METADATA,
    Column("number", _Big, primary_key=True, autoincrement=True),
    Column("version_id", _Big, nullable=False),
    Column("stack_id", _Id, nullable=False),
    Column("at", Double, nullable=False),
    Column("body", _Long, nullable=False, comment="JSON: what the type keeps of it"),
    Index("signal_version", "version_id", "number"),
    Index("signal_stack", "stack_id"),
    comment="What resources were told from outside, in the order in which it was accepted.",
    **_EXACT,
    **_NEVER_AGAIN,
)


def upgrade() -> None:
    """Add the column and the tables."""
    present = {column["name"] for column in inspect(op.get_bind()).get_columns("stack")}
    if "username" not in present:
        op.add_column(
            "stack",
            Column(
                "username", _Name, nullable=False, server_default=text("''"), comment="who made it"
            ),
        )
    _METADATA.create_all(op.get_bind())
