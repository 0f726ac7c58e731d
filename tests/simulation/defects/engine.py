"""Known defects of such engines, each switched on by changing one function.

A suite that does not notice them is too weak. The comment tells what goes wrong with each.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from hotplate.engine.check import record as recording
from hotplate.engine.check import replacement
from hotplate.engine.check.claims import Outcome
from hotplate.engine.check.failures import Failures
from hotplate.engine.check.open_intent import OpenIntent
from hotplate.engine.check.run import Run
from hotplate.engine.traversal import begin, end, rollback
from hotplate.engine.worker import sweep, worker
from hotplate.engine.worker.lease import WorkerLease
from hotplate.model import Action, NodeState, Status, Version
from hotplate.plan import prepare as planning
from hotplate.plan.decide import decide
from hotplate.resources import Creation
from hotplate.store.nodes import remove_idle_nodes
from hotplate.testing import cloud

Patch = pytest.MonkeyPatch
Defect = Callable[[Patch], None]


def no_look_up_before_create(patch: Patch) -> None:
    """After a crash an object is created again although it exists already."""

    async def search(self: OpenIntent, kind: Any) -> None:
        self._node.version.cookie = None

    patch.setattr(OpenIntent, "search", search)


def untraceable_created_again(patch: Patch) -> None:
    """What nobody can find after a crash is created a second time without a word."""
    original = OpenIntent.follow_up

    async def follow_up(self: OpenIntent) -> None:
        version, kind = self._node.version, self._node.present_type()
        if version.physical_id is None and kind.creation is Creation.NEITHER:
            version.action, version.status, version.intent = Action.INIT, Status.COMPLETE, None
            return
        await original(self)

    patch.setattr(OpenIntent, "follow_up", follow_up)


def no_grace_time(patch: Patch) -> None:
    """What a listing does not show yet is taken for missing."""
    original = OpenIntent.search

    async def search(self: OpenIntent, kind: Any) -> None:
        self._node.has_searched = True
        await original(self, kind)

    patch.setattr(OpenIntent, "search", search)


def no_lease_check(patch: Patch) -> None:
    """A worker that was taken for dead goes on to call the provider."""

    async def holds(self: Any, claim: Any) -> bool:
        return True

    patch.setattr(WorkerLease, "holds", holds)
    patch.setattr(WorkerLease, "is_certain", lambda self, claim: True)


def lease_is_looked_at_too_early(patch: Patch) -> None:
    """Calls that waited for a thread or a connection while their process slept are made."""

    async def hold() -> None:
        pass

    patch.setattr(cloud, "hold", hold)


def no_fence(patch: Patch) -> None:
    """A worker that was taken for dead goes on to call the provider and to write."""
    no_lease_check(patch)
    patch.setattr(recording, "_is_mine", lambda claim, row: row.state is NodeState.CLAIMED)


def no_release_list(patch: Patch) -> None:
    """Work of an older traversal is not waited for."""
    patch.setattr(begin, "remove_idle_work", _clear_without_waiting)


def _clear_without_waiting(connection: Any, *rest: Any) -> dict[int, int]:
    remove_idle_nodes(connection, rest[1].id)
    return {}


def releases_are_forgotten(patch: Patch) -> None:
    """Work of an older traversal ends and tells nobody."""
    original = recording._end

    def end(connection: Any, nodes: Sequence[Any], result: Any) -> None:
        original(connection, [replace(node, releases=()) for node in nodes], result)

    patch.setattr(recording, "_end", end)


def ownership_by_recipe(patch: Patch) -> None:
    """A version of the right recipe is kept although the traversal replaced it."""
    original = Run._clean_up

    async def clean_up(self: Run) -> Outcome:
        claim = self._node.claim
        if claim.version.recipe == claim.stack.recipe:
            claim.version.owner = claim.node.sequence
        return await original(self)

    patch.setattr(Run, "_clean_up", clean_up)


def loops_not_broken(patch: Patch) -> None:
    """What versions once required contradicts itself, and cleanup waits for ever."""

    def order(loose: Sequence[Version]) -> tuple[dict[int, list[int]], list[tuple[int, int]]]:
        before: dict[int, list[int]] = {version.id: [] for version in loose}
        for version in loose:
            for needed in {*version.requires, version.replaces}:
                if needed in before and needed is not None:
                    before[needed].append(version.id)
        return before, []

    patch.setattr(planning, "removal_order", order)


def requires_not_refreshed(patch: Patch) -> None:
    """An unchanged version keeps what it once required, and is in the way of cleanup."""
    patch.setattr(begin, "move_requirements", lambda connection, moved: None)


def trigger_lost_without_sweep(patch: Patch) -> None:
    """A message that got lost is never sent again."""
    patch.setattr(sweep, "ready_nodes", lambda connection: [])


def dead_workers_keep_their_nodes(patch: Patch) -> None:
    """Nobody takes over from a worker that died."""
    patch.setattr(sweep, "take_from_dead", lambda connection, expired: [])


def no_traversal_check_at_beginning(patch: Patch) -> None:
    """An overtaken node begins its work, replaces and deletes all the same."""

    def record(connection: Any, tools: Any, outcomes: Sequence[Outcome], ahead: Any = None) -> Any:
        stale = [replace(outcome, is_fresh=False) for outcome in outcomes]
        return _RECORD(connection, tools, stale, ahead)

    patch.setattr(worker, "record", record)


_RECORD = recording.record


def old_failures_fail_the_stack(patch: Patch) -> None:
    """A resource that fails for an older traversal makes the newer one fail."""

    def advance(
        connection: Any, tools: Any, recorded: Iterable[Outcome], stacks: Any, result: Any
    ) -> None:
        for outcome in recorded:
            outcome.claim.node.sequence = stacks[outcome.claim.node.stack_id].sequence
        _ADVANCE(connection, tools, list(recorded), stacks, result)

    patch.setattr(recording, "_advance_stacks", advance)


_ADVANCE = recording._advance_stacks


def lost_answers_are_forgotten(patch: Patch) -> None:
    """A creation whose answer was lost is taken for one that came to nothing."""
    original = Failures.note

    def note(self: Failures, error: Exception) -> None:
        original(self, error)
        self._node.version.intent = None

    patch.setattr(Failures, "note", note)


def failed_versions_are_kept(patch: Patch) -> None:
    """A failed version is taken for one in order."""

    def decided(version: Version, wanted: Any, kind: Any, *rest: Any) -> Any:
        if version.status is Status.FAILED and version.action is not Action.DELETE:
            version.status = Status.COMPLETE
        return _DECIDE(version, wanted, kind, *rest)

    patch.setattr(replacement, "decide", decided)


_DECIDE = decide


def work_dies_with_its_traversal(patch: Patch) -> None:
    """A failure drops work whose worker died, and nobody ends it."""

    def remove(connection: Any, stack_id: str, kept: Iterable[int]) -> None:
        remove_idle_nodes(connection, stack_id)

    patch.setattr(end, "remove_unbegun_nodes", remove)


def rollback_goes_to_the_last_attempt(patch: Patch) -> None:
    """A failed recipe is taken for a completed one."""
    original = rollback.fail_and_roll_back

    def fail(connection: Any, tools: Any, stack: Any, *rest: Any, **named: Any) -> list[int]:
        stack.completed_recipe = stack.recipe
        return original(connection, tools, stack, *rest, **named)

    patch.setattr(recording, "fail_and_roll_back", fail)


DEFECTS: tuple[Defect, ...] = (
    no_look_up_before_create,
    untraceable_created_again,
    no_grace_time,
    no_lease_check,
    no_fence,
    no_release_list,
    releases_are_forgotten,
    ownership_by_recipe,
    loops_not_broken,
    requires_not_refreshed,
    trigger_lost_without_sweep,
    dead_workers_keep_their_nodes,
    no_traversal_check_at_beginning,
    old_failures_fail_the_stack,
    lost_answers_are_forgotten,
    failed_versions_are_kept,
    work_dies_with_its_traversal,
    rollback_goes_to_the_last_attempt,
)

FROZEN_DEFECTS: tuple[Defect, ...] = (no_lease_check, lease_is_looked_at_too_early)
"""Those of processes that sleep with calls in hand."""
