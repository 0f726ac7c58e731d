"""What an earlier recipe of a stack wanted tells what need not be compared."""

from hotplate.model.fingerprints import Fingerprints
from hotplate.model.unchanged import Unchanged

NAMES = {"same", "changed", "removed", "added", "unknown"}


def test_it_holds_for_what_both_want_alike() -> None:
    old = Fingerprints({"same": "1", "changed": "1", "removed": "1"})
    new = Fingerprints({"same": "1", "changed": "2", "added": "1"})
    unchanged = Unchanged("old", old, new, {"same", "changed", "removed", "unknown"})
    assert unchanged.since == "old"
    assert unchanged.among(NAMES, new) == {"same"}
    assert unchanged.among(NAMES, new) == {"same"}, "also when it is asked again"
    assert unchanged.among({"added"}, new) == set()
    others = {"changed", "removed", "added", "unknown"}
    assert unchanged.beside(frozenset(("same",)), new) == others, "of both"


def test_nothing_is_known_once_more_was_found_out() -> None:
    new = Fingerprints({"same": "1"})
    unchanged = Unchanged("old", Fingerprints({"same": "1", "late": "2"}), new, {"same", "late"})
    assert unchanged.among(NAMES, new) == {"same"}
    new.note("late", "1")
    assert unchanged.among({"same", "late"}, new) == set()
