"""Which tests need more than this process and a moment: marks that `make quick` leaves out.

What a test needs is seen from its fixtures and its folder, so that no test can forget to say it.
A test that is slow for another reason carries the mark `slow` itself.
"""

import os
from collections.abc import Callable, Sequence
from itertools import chain, groupby
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


def share_out(items: list[pytest.Item]) -> None:
    """Give each process of the test run its share of the long tests, and let them begin first.

    A run begins with the items cut into as many pieces as there are processes. In the order of the
    folders one piece has nearly all the work, and the others steal it back bit by bit. Tests of one
    module that follow each other stay together: they may share what is costly to make.
    """
    shares = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    items[:] = chain.from_iterable(_shares(items, shares, _is_long))


def _shares(
    items: Sequence[pytest.Item], number: int, is_long: Callable[[pytest.Item], bool]
) -> list[list[pytest.Item]]:
    long = [item for item in items if is_long(item)]
    shares = [long[first::number] for first in range(number)]
    for _, module in groupby(items, lambda item: item.path):
        min(shares, key=len).extend(item for item in module if not is_long(item))
    return shares


def _is_long(item: pytest.Item) -> bool:
    return any(map(item.get_closest_marker, ("slow", "mistral")))
