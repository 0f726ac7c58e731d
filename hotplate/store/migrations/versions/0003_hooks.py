"""Where nodes wait until somebody lets them go on.

What exists is left alone, so that this can be run again where a server without transactional DDL
was interrupted.
"""

from alembic import op
from sqlalchemy import Column, String, inspect

revision = "0003"
down_revision = "0002"

_COLUMNS = (
    Column("hook", String(24), comment="the hook that it waits at"),
    Column("passed", String(24), comment="the last hook that was cleared for it"),
)


def upgrade() -> None:
    """Add the columns."""
    present = {column["name"] for column in inspect(op.get_bind()).get_columns("node")}
    for column in _COLUMNS:
        if column.name not in present:
            op.add_column("node", column)
