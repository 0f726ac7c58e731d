"""Defects that only objects show which come up broken and are made anew."""

from hotplate.engine.check.actions import Actions
from hotplate.model import Action
from hotplate.resources import Wait
from tests.simulation.defects.engine import Defect, Patch


def what_is_made_anew_is_not_searched_for(patch: Patch) -> None:
    """A worker died while it made another object, and the next one makes it a second time."""

    def forget_object(self: Actions, action: Action, result: Wait) -> None:
        self._node.version.physical_id = None

    patch.setattr(Actions, "_forget_object", forget_object)


RETRIED_DEFECTS: tuple[Defect, ...] = (what_is_made_anew_is_not_searched_for,)
