"""Every story is told on every kind of database."""

from collections.abc import Iterator

import pytest

from hotplate.testing.store import SimulatedDatabase
from tests.databases import KINDS, Server
from tests.scenarios.tellers import Teller


@pytest.fixture(scope="session", params=KINDS)
def tell(request: pytest.FixtureRequest) -> Iterator[Teller]:
    """Begins stories, once on each kind of database.

    One database serves all stories of a kind. pytest sorts by the parameters of fixtures of the
    whole session, so it is made once.
    """
    if request.param == "sqlite":
        yield Teller()
        return
    server: Server = request.getfixturevalue(f"{request.param}_server")
    url = server.new_database()
    database = SimulatedDatabase(url)
    yield Teller(request.param, database)
    database.close()
    server.drop_database(url)
