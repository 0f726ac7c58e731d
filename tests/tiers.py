"""Which tests need more than this process and a moment: marks that `make quick` leaves out.

What a test needs is seen from its fixtures and its folder, so that no test can forget to say it.
A test that is slow for another reason carries the mark `slow` itself.
"""

from pathlib import Path

import pytest

_ACCEPTANCE = Path(__file__).parent / "acceptance"
_NEEDS = {
    "databases": ({"postgresql_server", "mariadb_server"}, {"postgresql", "mariadb"}),
    "mistral": ({"mistral"}, {"remote"}),
}
"""By mark: the fixtures that bring it, and the parameters of others that ask for one of these."""


def mark_tiers(items: list[pytest.Item]) -> None:
    """Mark each test with what it needs."""
    for item in items:
        if not isinstance(item, pytest.Function):
            continue
        callspec = getattr(item, "callspec", None)
        values = {v for v in callspec.params.values() if isinstance(v, str)} if callspec else set()
        for mark, (fixtures, parameters) in _NEEDS.items():
            if not fixtures.isdisjoint(item.fixturenames) or not parameters.isdisjoint(values):
                item.add_marker(mark)
        if item.path.is_relative_to(_ACCEPTANCE):
            item.add_marker("processes")


def long_first(items: list[pytest.Item]) -> None:
    """Let the tests that take long begin first: at the end no process waits for one of them."""
    items.sort(key=lambda item: not any(map(item.get_closest_marker, ("slow", "mistral"))))
