"""What was used lately counts, the older the less."""

import pytest

from hotplate.store.room.recent_use import HALF_LIFE, RecentUse


def test_use_counts_half_after_its_half_life() -> None:
    use = RecentUse()
    use.add("a", 0.5, 10.0)
    use.add("a", 0.5, 10.0 + HALF_LIFE)
    assert use.of("a", 10.0 + HALF_LIFE) == pytest.approx(0.75)
    assert use.of("a", 10.0 + 2 * HALF_LIFE) == pytest.approx(0.375)


def test_who_has_used_nothing_has_used_nothing() -> None:
    assert RecentUse().of("a", 10.0) == 0.0


def test_those_whose_use_counts_no_more_are_forgotten() -> None:
    use = RecentUse()
    for at in range(5000):
        use.add(f"p{at}", 0.01, float(at))
    assert len(use._used) < 1100
    assert use.of("p4999", 4999.0) == pytest.approx(0.01)
