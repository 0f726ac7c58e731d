"""What a plan wants to exist, with ids: the rows of a traversal that begins."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from hotplate.engine.recipes.book import Bound
from hotplate.engine.world import RealWorld
from hotplate.model import Action, Node, NodeState, Stack, Status, Task, Version
from hotplate.plan.prepare import PlannedNode
from hotplate.template import ResourceDefinition
from hotplate.template.alike import type_of

EVERYTHING = slice(None)


def row_id(stack_number: int, counter: int) -> int:
    """Return an id that no other version or node has."""
    return (stack_number << 32) | counter


class Planned(Protocol):
    """What a plan wants to exist."""

    @property
    def missing(self) -> Sequence[str]:
        """Names without a version."""

    @property
    def nodes(self) -> Sequence[PlannedNode]:
        """All nodes; new versions have negative ids, -1 for the first."""


def id_count(plan: Planned) -> int:
    """Return how many ids a plan needs: of versions, of nodes, and of what may replace."""
    return len(plan.missing) + 2 * len(plan.nodes)


class _Types(Mapping[str, str]):
    """The types of resources, looked up when they are asked for."""

    __slots__ = ("_resources",)

    def __init__(self, resources: Mapping[str, ResourceDefinition]) -> None:
        self._resources = resources

    def __getitem__(self, name: str) -> str:
        return type_of(self._resources, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._resources)

    def __len__(self) -> int:
        return len(self._resources)


def types_of(bound: Bound | None) -> Mapping[str, str]:
    """Return the types of the resources that a stack is made of, by name."""
    return {} if bound is None else _Types(bound.template.resources)


@dataclass(frozen=True, slots=True)
class PlannedRows:
    """The versions and nodes of a plan, made when they are asked for.

    Ids follow from the place in the plan, so that all of it need not be in memory at once:
    ``base`` is how many ids the stack had given out before.
    """

    world: RealWorld
    stack: Stack
    plan: Planned
    types: Mapping[str, str]
    """The types of resources, also of those that have no version yet, by name."""

    sequence: int
    recipe: str
    now: float
    base: int

    @property
    def counter(self) -> int:
        """How many ids the stack has given out with these."""
        return self.base + id_count(self.plan)

    @property
    def _first(self) -> int:
        """The place of the first node."""
        return self.base + len(self.plan.missing) + 1

    def versions(self, part: slice = EVERYTHING) -> list[Version]:
        """Return new versions: those of some of the names that have none."""
        start = part.indices(len(self.plan.missing))[0]
        return [
            Version(
                id=row_id(self.stack.number, self.base + place),
                uuid=self.world.uuid(),
                stack_id=self.stack.id,
                root_id=self.stack.root_id,
                name=name,
                type=self.types[name],
                action=Action.INIT,
                status=Status.COMPLETE,
                owner=self.sequence,
                recipe=self.recipe,
                created_at=self.now,
                project=self.stack.project,
            )
            for place, name in enumerate(self.plan.missing[part], start + 1)
        ]

    def nodes(self, part: slice = EVERYTHING) -> list[Node]:
        """Return some of the nodes."""
        number, first = self.stack.number, self._first
        spares = first + len(self.plan.nodes)
        return [
            Node(
                id=row_id(number, first + planned.position),
                stack_id=self.stack.id,
                sequence=self.sequence,
                version_id=planned.version_id
                if planned.version_id > 0
                else row_id(number, self.base - planned.version_id),
                name=planned.name,
                task=planned.task,
                need=planned.need,
                state=NodeState.WAITING if planned.need else NodeState.READY,
                successors=tuple(
                    [row_id(number, first + position) for position in planned.successors]
                ),
                spare=row_id(number, spares + planned.position)
                if planned.task is Task.UPDATE and planned.version_id > 0
                else None,
            )
            for planned in self.plan.nodes[part]
        ]
