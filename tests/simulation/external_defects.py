"""Defects that only objects of somebody else show, each switched on by changing one function."""

from collections.abc import Mapping
from typing import Any

from hotplate.engine.check import actions, claims, external_object
from hotplate.engine.check import record as recording
from hotplate.engine.check.outcome import Outcome
from hotplate.engine.check.run import _Run
from hotplate.engine.external_objects import read_only_resource
from hotplate.model import Action, Relation, Version
from hotplate.resources.acting import act
from tests.simulation.defects import Defect, Patch


def cleaning_up_deletes_what_is_external(patch: Patch) -> None:
    """What is no longer wanted is deleted, whoever it belongs to."""
    original = _Run._clean_up

    async def clean_up(self: _Run) -> Outcome:
        version = self._version
        if version.is_external and version.owner != self._claim.node.sequence:
            kind = self._present_kind()
            object_id = version.physical_id or ""
            await kind.delete(
                read_only_resource(self._world, self._claim.stack, version, kind, object_id)
            )
        return await original(self)

    patch.setattr(_Run, "_clean_up", clean_up)


def suspending_touches_what_is_external(patch: Patch) -> None:
    """Suspend and resume go to every object."""
    original = external_object.Outside._walk_past

    async def walk(self: external_object.Outside, action: Action) -> Outcome:
        version, kind = self._version, self._present_kind()
        resource = read_only_resource(
            self._world, self._claim.stack, version, kind, version.physical_id or ""
        )
        if action is Action.SUSPEND:
            await act(kind, action, resource)
        return await original(self, action)

    patch.setattr(external_object.Outside, "_walk_past", walk)


def two_may_manage_one_object(patch: Patch) -> None:
    """Nobody looks who has an object when it is taken."""

    def nobody(connection: Any, takings: Mapping[int, Any]) -> dict[int, str]:
        return {}

    patch.setattr(recording, "refused", nobody)


def a_failed_return_is_managed_all_the_same(patch: Patch) -> None:
    """What could not be returned is taken for ours, and will be replaced and deleted."""

    def forget(version: Version) -> None:
        version.relation = Relation.MANAGED

    patch.setattr(actions, "stay_external", forget)


def going_back_takes_what_was_never_managed(patch: Patch) -> None:
    """A rollback to a managed resource takes whatever object there is."""
    patch.setattr(claims, "_BACK", frozenset())


def the_new_object_is_taken_for_ours(patch: Patch) -> None:
    """A resource that is switched to an object of somebody else manages that."""
    original = external_object.Outside._take

    def take(self: external_object.Outside, object_id: str, found: Any, is_kept: bool) -> None:
        original(self, object_id, found, is_kept)
        if not is_kept:
            self._version.relation = Relation.MANAGED

    patch.setattr(external_object.Outside, "_take", take)


def old_work_goes_on_after_a_hand_over(patch: Patch) -> None:
    """What a worker that died was doing to an object is repeated after it was handed over."""
    original = external_object.Outside._take

    def take(self: external_object.Outside, object_id: str, found: Any, is_kept: bool) -> None:
        original(self, object_id, found, is_kept)
        if is_kept:
            self._version.relation = Relation.RETURNING

    patch.setattr(external_object.Outside, "_take", take)


EXTERNAL_DEFECTS: tuple[Defect, ...] = (
    cleaning_up_deletes_what_is_external,
    suspending_touches_what_is_external,
    two_may_manage_one_object,
    a_failed_return_is_managed_all_the_same,
    going_back_takes_what_was_never_managed,
    the_new_object_is_taken_for_ours,
    old_work_goes_on_after_a_hand_over,
)
