"""What was used lately counts, the older the less."""

import pytest

from hotplate.store.fairness.recent_use import CREDIT, HALF_LIFE, LITTLE, RecentUse


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


def test_who_was_away_is_not_ahead_of_who_used_a_little_meanwhile() -> None:
    use = RecentUse()
    use.arrive("steady", 100.0)
    use.add("steady", 0.2, 100.0)
    use.arrive("new", 100.01)
    assert use.of("steady", 100.01) - CREDIT == pytest.approx(use.of("new", 100.01))


def test_who_was_away_goes_before_who_used_much() -> None:
    use = RecentUse()
    use.arrive("much", 100.0)
    use.add("much", 2.0, 100.0)
    use.arrive("new", 100.01)
    assert use.of("new", 100.01) == pytest.approx(LITTLE)
    use.add("much", 0.1, 100.02)
    assert use.of("new", 100.02) < LITTLE < use.of("much", 100.02)


def test_who_stays_or_comes_when_nobody_is_there_keeps_what_they_have() -> None:
    use = RecentUse()
    use.arrive("a", 100.0)
    use.add("a", 0.2, 100.0)
    use.arrive("b", 101.0)
    assert use.of("b", 101.0) == 0.0
    use.arrive("a", 101.0)
    use.add("a", 0.2, 101.01)
    use.arrive("b", 101.02)
    assert use.of("b", 101.02) == 0.0
