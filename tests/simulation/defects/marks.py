"""Defects that only marks of unhealthy resources show."""

from hotplate.engine.requests import health
from tests.simulation.defects.engine import Defect, Patch


def nobody_looks_for_marks_inside(patch: Patch) -> None:
    """A resource inside is marked, and the next update leaves its stack alone: nothing changed."""
    patch.setattr(health, "visit_in_next_update", lambda *arguments: None)


def marks_do_not_wait_for_what_goes_on(patch: Patch) -> None:
    """A resource is marked while somebody has it in hand, and whoever has it writes over that."""
    patch.setattr(health, "busy_versions", lambda *arguments: set())
    patch.setattr(health, "must_be_idle", lambda stack: None)
    patch.setattr(health, "visit_in_next_update", lambda *arguments: None)


MARK_DEFECTS: tuple[Defect, ...] = (
    nobody_looks_for_marks_inside,
    marks_do_not_wait_for_what_goes_on,
)
