"""Every resource in one call: how often the database is asked for it."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.pool import Pool

from hotplate.api.http.settings import Settings
from tests.api.conftest import Api
from tests.api.shared_api import shared_api
from tests.api.trees import FOUR_LEVELS, ROOT, deleted, inside, listed, made


class Statements:
    """What connections that only read have been asked, below everything that could hide it."""

    def __init__(self) -> None:
        self.said: list[tuple[int, str]] = []
        self._readers: set[int] = set()

    def watch(self, connection: Any, record: Any) -> None:
        number = id(connection)

        def trace(statement: str) -> None:
            if statement == "PRAGMA query_only=ON":
                self._readers.add(number)
            elif statement.startswith(("SELECT", "WITH")):
                self.said.append((number, statement))

        connection.set_trace_callback(trace)

    def during(self, api: Api, address: str) -> list[str]:
        """Return what one request asks of the database."""
        self.said.clear()
        assert api.get(address).status_code == 200
        return [statement for number, statement in self.said if number in self._readers]


@pytest.fixture(scope="module")
def statements() -> Iterator[Statements]:
    watched = Statements()
    event.listen(Pool, "connect", watched.watch)
    yield watched
    event.remove(Pool, "connect", watched.watch)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory, statements: Statements) -> Iterator[Api]:
    with shared_api(tmp_path_factory.mktemp("api"), Settings()) as api:
        yield api


def test_n16_the_number_of_queries_does_not_depend_on_the_tree(
    api: Api, tree: str, statements: Statements
) -> None:
    def group(count: int) -> dict[str, Any]:
        template = ROOT.replace("count: 2", f"count: {count}")
        return {**FOUR_LEVELS, "template": template}

    one, fifty = made(api, "one", group(1)), made(api, "fifty", group(25))
    counts = set()
    for path in (one, fifty, inside(api, fifty, "group"), inside(api, fifty, "group", "3")):
        for depth in ("0", "1", "MAX"):
            for filters in ("", "&name=leaf", "&with_detail=true"):
                asked = statements.during(api, f"{path}/resources?nested_depth={depth}{filters}")
                if "with_detail" not in filters:
                    counts.add(len(asked))
                assert len([each for each in asked if each.startswith("WITH RECURSIVE")]) == 1
    # The stack of the address, once before and once with the listing; the listing.
    assert counts == {3}
    assert len(listed(api, fifty, nested_depth="MAX")) == 4 + 25 + 1 + 4 * 25
    events = {
        len(statements.during(api, f"{path}/events?nested_depth=MAX")) for path in (one, fifty)
    }
    assert events == {2}
    for path in (one, fifty):
        deleted(api, path)
    gone = {
        len(statements.during(api, f"{path}/resources?nested_depth=MAX")) for path in (one, fifty)
    }
    assert len(gone) == 1
    assert max(gone) <= 5
