"""Where objects are not what was applied to them, and which traversals compare them.

What exists is left alone, so that this can be run again where a server without transactional DDL
was interrupted.
"""

from alembic import op
from sqlalchemy import Boolean, Column, Text, inspect, text
from sqlalchemy.dialects.mysql import LONGTEXT

revision = "0011"
down_revision = "0010"

_NEW = (
    (
        "stack",
        Column(
            "converges",
            Boolean,
            nullable=False,
            server_default=text("'0'"),
            comment="the traversal compares objects with what is wanted",
        ),
    ),
    (
        "version",
        Column(
            "differences",
            Text().with_variant(LONGTEXT(), "mysql", "mariadb"),
            comment="JSON: where the object is not what was applied",
        ),
    ),
)


def upgrade() -> None:
    """Add the columns; nothing has been compared yet."""
    inspected = inspect(op.get_bind())
    for name, column in _NEW:
        if column.name not in {each["name"] for each in inspected.get_columns(name)}:
            op.add_column(name, column)
