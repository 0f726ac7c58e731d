"""Defects that only work elsewhere shows, which goes on until somebody stops it."""

from hotplate.engine.check.claims import Claim
from tests.simulation.defects.engine import Defect, Patch

_IS_WANTED: property = vars(Claim)["is_wanted"]


def clean_up_waits_for_old_work(patch: Patch) -> None:
    """Whoever goes on with the work of an older traversal takes it for its own."""

    def is_wanted(self: Claim) -> bool:
        return self.is_current or bool(_IS_WANTED.__get__(self))

    patch.setattr(Claim, "is_wanted", property(is_wanted))


def work_of_stopped_stacks_goes_on(patch: Patch) -> None:
    """A stack is stopped, and nobody says so to those who work for it."""
    patch.setattr(Claim, "is_wanted", True)


ELSEWHERE_DEFECTS: tuple[Defect, ...] = (
    clean_up_waits_for_old_work,
    work_of_stopped_stacks_goes_on,
)
