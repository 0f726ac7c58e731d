"""Executions by when they ended and by the text they began with, for the purge.

What exists is left alone, so that this can be run again where a server without transactional DDL
was interrupted.
"""

from alembic import op
from sqlalchemy import inspect

revision = "0007"
down_revision = "0006"

_TABLE = "workflow_execution"
_INDEXES = {
    "workflow_execution_finished": "finished_at",
    "workflow_execution_text": "text",
}


def upgrade() -> None:
    """Add the indexes."""
    present = {index["name"] for index in inspect(op.get_bind()).get_indexes(_TABLE)}
    for name, column in _INDEXES.items():
        if name not in present:
            op.create_index(name, _TABLE, [column])
