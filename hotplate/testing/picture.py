"""The database at one moment, as the invariants look at it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from hotplate.testing.notation import GROUP, KINDS, SCALED_GROUP
from hotplate.testing.store import SimulatedDatabase

T = TypeVar("T")

OURS = ("managed", "kept", "prepared", "restoring", "spent")
"""Relations of objects that the engine makes, changes and deletes."""


class Violation(AssertionError):
    """Something that must never be."""


class StackRow(NamedTuple):
    """A stack as it is in the database."""

    id: str
    sequence: int
    action: str
    status: str
    reason: str
    need: int
    update_need: int
    recipe: str
    completed_recipe: str | None
    deleted_at: float | None
    name: str
    project: str
    parent_id: str | None
    parent_version: int | None
    carrier: int = 0
    carried_recipe: str | None = None

    @property
    def arn(self) -> str:
        """What get_resource gives of a resource that is this stack, made from a template."""
        return f"arn:openstack:heat::{self.project}:stacks/{self.name}/{self.id}"


class NodeRow(NamedTuple):
    """A node as it is in the database."""

    id: int
    stack_id: str
    sequence: int
    version_id: int
    name: str
    task: str
    need: int
    state: str
    generation: int
    successors: tuple[int, ...]
    releases: tuple[int, ...]
    hook: str | None
    due: float | None

    @property
    def is_coordinator(self) -> bool:
        """Whether it is for a large traversal as a whole, and not for a version."""
        return self.version_id == 0


class VersionRow(NamedTuple):
    """A version as it is in the database; what its traversal carries belongs to that."""

    id: int
    uuid: str
    stack_id: str
    name: str
    action: str
    status: str
    owner: int
    physical_id: str | None
    intent: str | None
    cookie: str | None
    requires: tuple[int, ...]
    needed: tuple[int, ...]
    recipe: str
    type: str
    data: str | None
    relation: str = "managed"

    @property
    def gone(self) -> frozenset[str]:
        """The names that a group does not use any more."""
        data = json.loads(self.data or "{}")
        return frozenset(filter(None, data.get("name_blacklist", "").split(",")))

    @property
    def is_external(self) -> bool:
        """Whether the object is external."""
        return self.relation not in OURS

    @property
    def has_given_up(self) -> bool:
        """Whether the object may lack what its replacement needed."""
        return self.relation in ("prepared", "restoring", "spent")

    @property
    def is_stack(self) -> bool:
        """Whether the resource is a stack; its physical id is that of the stack."""
        return self.type in (GROUP, SCALED_GROUP) or self.type.endswith(".yaml")

    @property
    def is_scaling(self) -> bool:
        """Whether the nested stack changes its size between two traversals."""
        return '"scaling"' in (self.cookie or "")

    @property
    def capacity(self) -> int:
        """How many members a group whose size may change shall have."""
        return int(json.loads(self.data or "{}").get("capacity", 0))

    @property
    def told(self) -> tuple[str, ...]:
        """What a resource remembers of its signals."""
        return tuple(json.loads(self.data or "{}").get("told", ()))

    @property
    def has_object(self) -> bool:
        """Whether there is an object at the provider, or was."""
        return self.type.startswith("Test::") and self.type != KINDS["instant"]


class DeferredChangeRow(NamedTuple):
    """A deferred change as it is in the database."""

    number: int
    stack_id: str
    version_id: int
    body: str


@dataclass(frozen=True, slots=True)
class Picture:
    """The database at one moment."""

    stacks: Mapping[str, StackRow]
    nodes: Mapping[int, NodeRow]
    versions: Mapping[int, VersionRow]
    deferred_changes: Mapping[int, DeferredChangeRow] = field(default_factory=dict)

    def of_stack(self, stack_id: str) -> list[VersionRow]:
        """Return the versions of a stack."""
        return [version for version in self.versions.values() if version.stack_id == stack_id]

    def child(self, version: VersionRow) -> StackRow | None:
        """Return the nested stack of a version, as long as it has not been deleted."""
        found = self.stacks.get(version.physical_id or "") if version.is_stack else None
        return None if found is None or found.deleted_at is not None else found

    def parent(self, stack: StackRow) -> VersionRow | None:
        """Return the version that is this stack."""
        return self.versions.get(stack.parent_version or 0)


_STACKS = f"SELECT {', '.join(StackRow._fields)} FROM stack"  # noqa: S608
_NODES = f"SELECT {', '.join(NodeRow._fields)} FROM node"  # noqa: S608
_VERSIONS = f"SELECT {', '.join(VersionRow._fields)} FROM version"  # noqa: S608
_CHANGES = f"SELECT {', '.join(DeferredChangeRow._fields)} FROM errand"  # noqa: S608


@lru_cache(1024)
def _ids(text: str) -> tuple[int, ...]:
    return tuple(json.loads(text))


class Camera:
    """Takes pictures of a database, one after the other.

    What nothing was written to is not read again: on a server that is a way there and back for
    each table.
    """

    def __init__(self, database: SimulatedDatabase) -> None:
        self._database = database
        self._seen: dict[str, tuple[int, Any]] = {}

    def picture(self) -> Picture:
        """Return what the database holds now."""
        stacks = self._latest("stack", _read_stacks)
        return Picture(
            stacks,
            self._latest("node", _read_nodes),
            _with_carried(stacks, self._latest("version", _read_versions)),
            self._latest("errand", _read_changes),
        )

    def _latest(self, table: str, read: Callable[[SimulatedDatabase], T]) -> T:
        changes = self._database.changes_of(table)
        seen = self._seen.get(table)
        if seen is None or seen[0] != changes:
            seen = self._seen[table] = (changes, read(self._database))
        found: T = seen[1]
        return found


def _read_stacks(database: SimulatedDatabase) -> dict[str, StackRow]:
    return {row[0]: StackRow(*row) for row in database.rows(_STACKS)}


def _read_nodes(database: SimulatedDatabase) -> dict[int, NodeRow]:
    return {
        row[0]: NodeRow(*(*row[:9], _ids(row[9]), _ids(row[10]), *row[11:]))
        for row in database.rows(_NODES)
    }


def _read_versions(database: SimulatedDatabase) -> dict[int, VersionRow]:
    return {
        row[0]: VersionRow(*(*row[:10], _ids(row[10]), _ids(row[11]), *row[12:]))
        for row in database.rows(_VERSIONS)
    }


def _with_carried(
    stacks: Mapping[str, StackRow], versions: dict[int, VersionRow]
) -> dict[int, VersionRow]:
    """Return versions with the owners and recipes that the notes on their stacks say."""
    if not any(stack.carrier for stack in stacks.values()):
        return versions
    return {key: _carried(stacks.get(each.stack_id), each) for key, each in versions.items()}


def _carried(stack: StackRow | None, version: VersionRow) -> VersionRow:
    if stack is None or version.owner > stack.carrier - 2:
        return version
    return version._replace(owner=stack.carrier, recipe=stack.carried_recipe or "")


def _read_changes(database: SimulatedDatabase) -> dict[int, DeferredChangeRow]:
    return {row[0]: DeferredChangeRow(*row) for row in database.rows(_CHANGES)}
