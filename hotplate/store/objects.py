"""Who holds a physical object: queries over the versions of all stacks of a project."""

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from hotplate.model import Action, Definition, Relation, Status
from hotplate.store.prepared import Prepared
from hotplate.store.schema import latch, stack, version
from hotplate.store.sealing import seals_of
from hotplate.store.versions import DEFINITION

_LATCH = "objects"
_TURN = update(latch).where(latch.c.name == _LATCH).values(turns=latch.c.turns + 1)
_HOLDERS = Prepared(
    select(
        version.c.physical_id,
        version.c.id,
        version.c.stack_id,
        version.c.name,
        version.c.type,
        version.c.definition,
        version.c.relation,
        version.c.action,
        version.c.status,
        stack.c.name,
    )
    .join(stack, stack.c.id == version.c.stack_id)
    .where(
        version.c.physical_id == bindparam("object"),
        stack.c.project == bindparam("project"),
        stack.c.deleted_at.is_(None),
        version.c.action != Action.INIT.value,
        (version.c.action != Action.DELETE.value) | (version.c.status != Status.COMPLETE.value),
    )
    .order_by(version.c.id),
    ("object", "project"),
)


@dataclass(frozen=True, slots=True)
class Holder:
    """A version that has a physical object."""

    object_id: str
    version_id: int
    stack_id: str
    name: str
    type: str
    definition: Definition
    relation: Relation
    action: Action
    status: Status
    stack_name: str

    @property
    def type_name(self) -> str:
        """The type that the registry made of the template's when it was last applied."""
        return self.definition.type_name or self.type


def lock_objects(connection: Connection) -> None:
    """Let no other transaction change who has an object until this one ends.

    Locks of stacks and nodes are taken before this one.
    """
    if not connection.execute(_TURN).rowcount:
        connection.execute(insert(latch).values(name=_LATCH, turns=1))


def holders(connection: Connection, project: str, physical_id: str) -> list[Holder]:
    """Return the versions of a project that have an object of this id, of whatever type."""
    rows: list[Any] = _HOLDERS.rows(connection, physical_id, project)
    seals = seals_of(connection, project)
    return [
        Holder(
            object_id=object_id,
            version_id=version_id,
            stack_id=stack_id,
            name=name,
            type=kind,
            definition=Definition.from_data(
                kind, json.loads(seals.open(DEFINITION, version_id, definition))
            ),
            relation=Relation(relation),
            action=Action(action),
            status=Status(status),
            stack_name=stack_name,
        )
        for (
            object_id,
            version_id,
            stack_id,
            name,
            kind,
            definition,
            relation,
            action,
            status,
            stack_name,
        ) in rows
    ]
