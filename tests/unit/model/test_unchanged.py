"""What an earlier recipe of a stack wanted tells what need not be compared."""

from hotplate.model.unchanged import Unchanged


def test_it_holds_for_what_both_want_alike() -> None:
    old = {"same": "1", "changed": "1", "removed": "1"}
    new = {"same": "1", "changed": "2", "added": "1"}
    unchanged = Unchanged.between("old", old, new)
    assert unchanged.since == "old"
    names = ("same", "changed", "removed", "added", "unknown")
    assert [name for name in names if unchanged.holds_for(name, new)] == ["same"]


def test_nothing_is_known_once_more_was_found_out() -> None:
    new = {"same": "1"}
    unchanged = Unchanged.between("old", {"same": "1", "late": "2"}, new)
    assert unchanged.holds_for("same", new)
    new["late"] = "1"
    assert not unchanged.holds_for("late", new)
    assert not unchanged.holds_for("same", new)
