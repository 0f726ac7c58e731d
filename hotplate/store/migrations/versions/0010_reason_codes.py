"""The codes of reasons that the engine decides by; it read the texts before.

What exists is left alone, so that this can be run again where a server without transactional DDL
was interrupted.
"""

import re

from alembic import op
from sqlalchemy import Column, String, column, inspect, or_, select, table, text

revision = "0010"
down_revision = "0009"

_STOPPED = re.compile(r"(?:^|: )(?:Stack [A-Z]+ cancelled|[A-Z]+ aborted(?: \([^()]*\))?)$")
_PARTLY_CHECKED = ". 'CHECK' not fully supported (see resources)"
_STACK = table("stack", *map(column, ("id", "action", "status", "reason", "reason_code")))
_VERSION = table("version", *map(column, ("id", "type", "status", "reason", "reason_code")))
_STACKS = select(_STACK).where(
    or_(
        _STACK.c.reason == "Timed out",
        _STACK.c.reason.like("%cancelled"),
        _STACK.c.reason.like("%aborted%"),
        _STACK.c.reason.like(f"%{_PARTLY_CHECKED}"),
    )
)
_VERSIONS = select(_VERSION).where(
    or_(
        _VERSION.c.reason.like("CHECK not supported for %"),
        _VERSION.c.reason.like("%cancelled"),
        _VERSION.c.reason.like("%aborted%"),
    )
)


def upgrade() -> None:
    """Add the columns, and give each reason that is there its code."""
    connection = op.get_bind()
    for name in ("stack", "version"):
        if "reason_code" not in {each["name"] for each in inspect(connection).get_columns(name)}:
            new = Column("reason_code", String(24), nullable=False, server_default=text("''"))
            op.add_column(name, new)
    for row in connection.execute(_STACKS).all():
        code = _code_of_stack(row.action, row.status, row.reason)
        change = _STACK.update().where(_STACK.c.id == row.id).values(reason_code=code)
        connection.execute(change)
    for row in connection.execute(_VERSIONS).all():
        code = _code_of_version(row.type, row.status, row.reason)
        change = _VERSION.update().where(_VERSION.c.id == row.id).values(reason_code=code)
        connection.execute(change)


def _code_of_stack(action: str, status: str, reason: str) -> str:
    if reason.endswith(_PARTLY_CHECKED):
        return "partly_checked"
    if status != "FAILED":
        return ""
    if reason == "Timed out":
        return "timed_out"
    if reason == f"Stack {action} cancelled":
        return "cancelled"
    return "aborted" if _STOPPED.search(reason) else ""


def _code_of_version(type_name: str, status: str, reason: str) -> str:
    if reason == f"CHECK not supported for {type_name}":
        return "not_checked"
    return "aborted" if status == "FAILED" and _STOPPED.search(reason) else ""
