"""Defects that only objects with keys show, which give them up for their replacements."""

from hotplate.engine.check.preparation import Preparation
from hotplate.model import Version
from tests.simulation.defects.engine import Defect, Patch


def prepared_objects_are_taken_for_healthy(patch: Patch) -> None:
    """A rollback takes up again what has given up its key, as if it had it still."""
    patch.setattr(Version, "is_prepared", False)
    patch.setattr(Version, "has_given_up", False)


def nothing_is_prepared(patch: Patch) -> None:
    """The new object is made while the old one has the key."""

    async def is_complete(self: Preparation, wanted: object) -> bool:
        return True

    patch.setattr(Preparation, "is_complete", is_complete)


EXCLUSIVE_DEFECTS: tuple[Defect, ...] = (
    prepared_objects_are_taken_for_healthy,
    nothing_is_prepared,
)
