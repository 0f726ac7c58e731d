"""Defects that only stacks inside stacks show, each switched on by changing one function."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from hotplate.engine.check import record as recording
from hotplate.engine.check.claims import Outcome, OutcomeKind
from hotplate.engine.check.nested_stack import NestedStackCheck
from hotplate.engine.nested_stacks import ChildReport, DelegationCookie
from hotplate.engine.traversal import end, nested
from hotplate.engine.traversal.nested import Delegation
from hotplate.engine.worker import sweep, worker
from hotplate.engine.worker.ports import WorkerPorts
from hotplate.model import Action
from hotplate.resources.heat.groups.resource_group import ResourceGroup
from hotplate.resources.stages import Stage
from hotplate.store.nodes import ready_nodes, wake_version
from tests.simulation.defects.engine import Defect, Patch

_RECORD = recording.record


def parents_are_not_woken(patch: Patch) -> None:
    """A stack inside ends, and the node that waits for it is not told."""
    patch.setattr(end, "_wake_parent", lambda connection, stack: [])


def deletion_stays_at_the_top(patch: Patch) -> None:
    """A resource that is a stack is deleted, and the stack is not."""

    def begin(connection: Any, tools: Any, delegations: Sequence[Delegation]) -> list[int]:
        ready = []
        for each in delegations:
            if each.request.action is Action.DELETE:
                ready.extend(wake_version(connection, each.version.id))
        others = [each for each in delegations if each.request.action is not Action.DELETE]
        return [*ready, *_BEGIN_CHILDREN(connection, tools, others)]

    patch.setattr(recording, "begin_children", begin)


_BEGIN_CHILDREN = nested.begin_children


def failing_stays_at_the_top(patch: Patch) -> None:
    """A stack is cancelled or fails, and what is inside it goes on."""
    patch.setattr(end, "stop_below", lambda connection, tools, stack, room: ([], True))


def children_are_made_twice(patch: Patch) -> None:
    """A node that comes again for a stack inside that is still being made makes another one."""

    def begin(connection: Any, tools: Any, delegations: Sequence[Delegation]) -> list[int]:
        changed = []
        for each in delegations:
            version = each.version
            if each.request.recipe is not None and version.attempt > 1:
                version = replace(version, physical_id=None, uuid=tools.world.uuid())
            changed.append(replace(each, version=version))
        return _BEGIN_CHILDREN(connection, tools, changed)

    patch.setattr(recording, "begin_children", begin)


def children_are_not_swept(patch: Patch) -> None:
    """A worker dies after it started a stack inside and before it told anybody; nobody looks."""

    def ready(connection: Connection) -> list[int]:
        rows = connection.exec_driver_sql("SELECT number FROM stack WHERE parent_id IS NULL")
        roots = {row[0] for row in rows}
        return [found for found in ready_nodes(connection) if found >> 32 in roots]

    patch.setattr(sweep, "ready_nodes", ready)


def failures_inside_are_swallowed(patch: Patch) -> None:
    """A resource is complete although the stack inside it failed."""

    async def report_of(self: WorkerPorts, stack_id: str) -> ChildReport:
        return replace(await _REPORT_OF(self, stack_id), failures=())

    patch.setattr(WorkerPorts, "report_of", report_of)


_REPORT_OF = WorkerPorts.report_of


def overtaken_nodes_tell_their_children(patch: Patch) -> None:
    """A node of an abandoned traversal starts or changes the stack inside its version."""

    def record(connection: Any, tools: Any, outcomes: Sequence[Outcome], ahead: Any = None) -> Any:
        stale = [
            replace(
                outcome, is_fresh=outcome.is_fresh and outcome.kind is not OutcomeKind.DELEGATED
            )
            for outcome in outcomes
        ]
        return _RECORD(connection, tools, stale, ahead)

    patch.setattr(worker, "record", record)


def batches_end_with_the_first(patch: Patch) -> None:
    """A group that goes in batches is complete after the first of them."""

    def child_stage(self: ResourceGroup, *args: Any) -> Stage:
        return replace(_CHILD_STAGE(self, *args), policy="")

    patch.setattr(ResourceGroup, "child_stage", child_stage)


_CHILD_STAGE = ResourceGroup.child_stage


def removed_names_are_forgotten(patch: Patch) -> None:
    """The names that removal policies have taken out are used again."""

    def child_stage(self: ResourceGroup, *args: Any) -> Stage:
        return replace(_CHILD_STAGE(self, *args), data={})

    patch.setattr(ResourceGroup, "child_stage", child_stage)


def overtaken_stages_count_as_the_end(patch: Patch) -> None:
    """A group whose way through its batches was cut short says that it has arrived."""
    original = NestedStackCheck.take_report

    async def take_report(self: NestedStackCheck) -> Outcome | None:
        claim = self._node.claim
        if not claim.is_current and isinstance(claim.version.cookie, dict):
            claim.version.cookie = DelegationCookie(claim.node.id).as_data()
        return await original(self)

    patch.setattr(NestedStackCheck, "take_report", take_report)


PACED_DEFECTS: tuple[Defect, ...] = (
    batches_end_with_the_first,
    removed_names_are_forgotten,
    overtaken_stages_count_as_the_end,
)

NESTED_DEFECTS: tuple[Defect, ...] = (
    parents_are_not_woken,
    deletion_stays_at_the_top,
    failing_stays_at_the_top,
    children_are_made_twice,
    children_are_not_swept,
    failures_inside_are_swallowed,
    overtaken_nodes_tell_their_children,
)
