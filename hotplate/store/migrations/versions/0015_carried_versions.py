"""A traversal has versions that it leaves alone without writing each of them.

What exists is left alone, so that this can be run again where a server without transactional DDL
was interrupted.
"""

from alembic import op
from sqlalchemy import Column, Integer, String, inspect, text

revision = "0015"
down_revision = "0014"

_NEW = (
    Column(
        "carrier",
        Integer,
        nullable=False,
        server_default=text("'0'"),
        comment="sequence of the last traversal that carried versions",
    ),
    Column("carried_recipe", String(64), comment="what these were confirmed for"),
)


def upgrade() -> None:
    """Add the columns; nothing is carried yet."""
    known = {each["name"] for each in inspect(op.get_bind()).get_columns("stack")}
    for column in _NEW:
        if column.name not in known:
            op.add_column("stack", column)
