"""Which stacks inside others every update must look into.

What exists is left alone, so that this can be run again where a server without transactional DDL
was interrupted.
"""

from alembic import op
from sqlalchemy import Boolean, Column, inspect, text

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the column; of what is there nobody knows yet, so it is looked at once."""
    columns = {column["name"] for column in inspect(op.get_bind()).get_columns("version")}
    if "always_visited" not in columns:
        op.add_column(
            "version",
            Column(
                "always_visited",
                Boolean,
                nullable=False,
                server_default=text("'1'"),
                comment="something in the stack that it is asks to be looked at by every update",
            ),
        )
