"""The newest executions of a project are found without reading all of them."""

from alembic import op
from sqlalchemy import inspect

revision = "0014"
down_revision = "0013"

_NAME = "workflow_execution_newest"


def upgrade() -> None:
    """Add the index; it may be there where a server without transactional DDL was interrupted."""
    indexes = inspect(op.get_bind()).get_indexes("workflow_execution")
    if _NAME not in {each["name"] for each in indexes}:
        op.create_index(_NAME, "workflow_execution", ["project", "number"])
