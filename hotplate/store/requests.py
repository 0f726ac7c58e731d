"""Queries on requests: who asked when for what, as long as the stack is known."""

from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, insert, select

from hotplate.store.prepared import Prepared
from hotplate.store.schema import stack_request

_INSERT = insert(stack_request)
_OF_STACK = Prepared(
    select(
        stack_request.c.sequence,
        stack_request.c.action,
        stack_request.c.username,
        stack_request.c.at,
    )
    .where(
        stack_request.c.stack_id == bindparam("stack"),
        stack_request.c.sequence > bindparam("after"),
    )
    .order_by(stack_request.c.number),
    ("stack", "after"),
)


@dataclass(frozen=True, slots=True)
class Request:
    """Something that was asked of a stack; ``sequence`` is that of the traversal it began."""

    sequence: int
    action: str
    username: str
    at: float


def insert_request(connection: Connection, stack_id: str, request: Request) -> None:
    """Note what was asked of a stack that this transaction has locked."""
    connection.execute(
        _INSERT,
        {
            "stack_id": stack_id,
            "sequence": request.sequence,
            "action": request.action,
            "username": request.username,
            "at": request.at,
        },
    )


def requests_of(connection: Connection, stack_id: str, after: int = 0) -> list[Request]:
    """Return what was asked of a stack since a traversal began, in the order of its acceptance."""
    return [Request(*row) for row in _OF_STACK.rows(connection, stack_id, after)]
