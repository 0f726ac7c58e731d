"""Defects that only objects of somebody else show, each switched on by changing one function."""

from collections.abc import Mapping
from typing import Any

from hotplate.engine import version_transitions
from hotplate.engine.check import claims
from hotplate.engine.check import record as recording
from hotplate.engine.check.claims import Outcome
from hotplate.engine.check.external_object import ExternalObjectCheck
from hotplate.engine.check.run import Run
from hotplate.engine.external_objects import read_only_resource
from hotplate.model import Action, Relation, Version
from hotplate.resources.acting import act
from tests.simulation.defects.engine import Defect, Patch


def cleaning_up_deletes_what_is_external(patch: Patch) -> None:
    """What is no longer wanted is deleted, whoever it belongs to."""
    original = Run._clean_up

    async def clean_up(self: Run) -> Outcome:
        node, claim, version = self._node, self._node.claim, self._node.version
        if version.is_external and version.owner != claim.node.sequence:
            kind = node.present_type()
            object_id = version.physical_id or ""
            await kind.delete(read_only_resource(node.world, claim.stack, version, kind, object_id))
        return await original(self)

    patch.setattr(Run, "_clean_up", clean_up)


def suspending_touches_what_is_external(patch: Patch) -> None:
    """Suspend and resume go to every object."""
    original = ExternalObjectCheck.visit

    async def visit(self: ExternalObjectCheck, action: Action) -> Outcome:
        node, version, kind = self._node, self._node.version, self._node.present_type()
        resource = read_only_resource(
            node.world, node.claim.stack, version, kind, version.physical_id or ""
        )
        if action is Action.SUSPEND:
            await act(kind, action, resource)
        return await original(self, action)

    patch.setattr(ExternalObjectCheck, "visit", visit)


def two_may_manage_one_object(patch: Patch) -> None:
    """Nobody looks who has an object when it is taken."""

    def nobody(connection: Any, takings: Mapping[int, Any]) -> dict[int, str]:
        return {}

    patch.setattr(recording, "refused", nobody)


def a_failed_return_is_managed_all_the_same(patch: Patch) -> None:
    """What could not be returned is taken for ours, and will be replaced and deleted."""

    def forget(version: Version) -> None:
        version.relation = Relation.MANAGED

    patch.setattr(version_transitions, "stay_external", forget)


def going_back_takes_what_was_never_managed(patch: Patch) -> None:
    """A rollback to a managed resource takes whatever object there is."""
    patch.setattr(claims, "_BACK", frozenset())


def the_new_object_is_taken_for_ours(patch: Patch) -> None:
    """A resource that is switched to an object of somebody else manages that."""
    original = ExternalObjectCheck._take

    def take(self: ExternalObjectCheck, object_id: str, found: Any, is_kept: bool) -> None:
        original(self, object_id, found, is_kept)
        if not is_kept:
            self._node.version.relation = Relation.MANAGED

    patch.setattr(ExternalObjectCheck, "_take", take)


def old_work_goes_on_after_a_hand_over(patch: Patch) -> None:
    """What a worker that died was doing to an object is repeated after it was handed over."""
    original = ExternalObjectCheck._take

    def take(self: ExternalObjectCheck, object_id: str, found: Any, is_kept: bool) -> None:
        original(self, object_id, found, is_kept)
        if is_kept:
            self._node.version.relation = Relation.RETURNING

    patch.setattr(ExternalObjectCheck, "_take", take)


EXTERNAL_DEFECTS: tuple[Defect, ...] = (
    cleaning_up_deletes_what_is_external,
    suspending_touches_what_is_external,
    two_may_manage_one_object,
    a_failed_return_is_managed_all_the_same,
    going_back_takes_what_was_never_managed,
    the_new_object_is_taken_for_ours,
    old_work_goes_on_after_a_hand_over,
)
