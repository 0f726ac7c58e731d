"""Statements that each database gets in its own form: the same rows come out of all."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DBAPIError

from hotplate.model import Status, Version
from hotplate.store import prepared
from hotplate.store.database import create_tables, open_engine
from hotplate.store.nodes import (
    insert_nodes,
    lock_due,
    next_due,
    nodes_of,
    park,
    ready_nodes,
    wake,
)
from hotplate.store.versions import insert_versions, read_versions, save_versions
from tests.unit.store.rows import a_node, a_version


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    made = open_engine(database_url)
    create_tables(made)
    yield made
    made.dispose()


@pytest.fixture
def connection(engine: Engine) -> Iterator[Connection]:
    with engine.begin() as found:
        yield found


def changed(version: Version) -> Version:
    """Return a version with a value of each kind, of which some have none."""
    number = version.id
    has_more = number % 2 == 0
    return replace(
        version,
        status=Status.FAILED,
        reason=f'it\'s \\ 100 % "{number}" \N{SNOWMAN}',
        physical_id=f"id-{number}" if has_more else None,
        intent_at=1794940000.1234567 + number if has_more else None,
        updated_at=1794940001.7654321,
        attempt=number,
        owner=2**30 + number,
        always_visited=has_more,
        attributes={"value": "x" * number, "n": 1.5},
        cookie={"until": 1.25} if has_more else None,
        requires=[1, number],
    )


@pytest.mark.parametrize("count", [1, 2, 3, 300])
def test_versions_are_saved_as_they_are(connection: Connection, count: int) -> None:
    before = [a_version(number) for number in range(1, count + 4)]
    insert_versions(connection, before)
    after = [changed(version) for version in before[:count]]
    save_versions(connection, after)
    found = read_versions(connection, [version.id for version in before])
    assert [replace(found[each.id], project="") for each in after] == [
        replace(each, project="") for each in after
    ]
    assert [found[each.id].status for each in before[count:]] == [Status.COMPLETE] * 3


def test_of_a_version_that_is_saved_twice_the_last_holds(connection: Connection) -> None:
    versions = [a_version(1), a_version(2)]
    insert_versions(connection, versions)
    save_versions(
        connection,
        [replace(versions[0], reason="first"), versions[1], replace(versions[0], reason="last")],
    )
    assert read_versions(connection, [1])[1].reason == "last"


def test_a_version_that_is_gone_does_not_come_back(connection: Connection) -> None:
    insert_versions(connection, [a_version(1)])
    save_versions(connection, [replace(a_version(each), reason="new") for each in (1, 2)])
    found = read_versions(connection, [1, 2])
    assert {each: version.reason for each, version in found.items()} == {1: "new"}


def test_large_rows_are_saved_in_several_statements(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepared, "_LONGEST", 1000)
    versions = [a_version(number) for number in range(1, 8)]
    insert_versions(connection, versions)
    sent: list[str] = []
    event.listen(connection, "before_cursor_execute", lambda *given: sent.append(given[2]))
    save_versions(connection, [replace(each, reason="r" * 700) for each in versions])
    found = read_versions(connection, [each.id for each in versions])
    assert {len(each.reason) for each in found.values()} == {700}
    if connection.dialect.name == "mariadb":
        assert len([each for each in sent if each.startswith("UPDATE")]) == len(versions)


def woken(connection: Connection, now: float, most: int) -> list[int]:
    """Wake some of the nodes that are due; return which."""
    ids = [node.id for node in lock_due(connection, now, most)]
    wake(connection, ids)
    return ids


def test_nodes_are_parked_and_woken_in_portions(connection: Connection) -> None:
    insert_nodes(connection, [a_node(number) for number in range(1, 6)])
    park(connection, [(1, 30.5), (2, 10.25), (3, 20.125), (4, None)])
    assert [node.due for node in nodes_of(connection, "s")] == [30.5, 10.25, 20.125, None, None]
    assert next_due(connection) == 10.25
    assert woken(connection, 40.0, 2) == [2, 3]
    assert woken(connection, 40.0, 2) == [1]
    assert set(ready_nodes(connection)) >= {1, 2, 3}


def test_two_who_wake_at_the_same_time_never_wake_the_same_node(server_url: str) -> None:
    engine = open_engine(server_url)
    create_tables(engine)
    with engine.begin() as connection:
        insert_nodes(connection, [a_node(number) for number in range(1, 5)])
        park(connection, [(number, 1.0) for number in range(1, 5)])
    with engine.begin() as one, engine.begin() as other:
        first = woken(one, 2.0, 3)
        assert len(first) == 3
        second = woken(other, 2.0, 3)
    assert sorted(first + second) == [1, 2, 3, 4]
    engine.dispose()


def test_a_query_on_a_lost_connection_says_so_and_the_next_has_another(server_url: str) -> None:
    """Whoever meets it tries again: `connection_invalidated` tells that this may help."""
    engine = open_engine(server_url)
    create_tables(engine)
    is_postgresql = engine.dialect.name == "postgresql"
    own = "SELECT pg_backend_pid()" if is_postgresql else "SELECT connection_id()"
    with engine.connect() as connection:
        number = connection.exec_driver_sql(own).scalar_one()
        with engine.connect() as other:
            end = f"SELECT pg_terminate_backend({number})" if is_postgresql else f"KILL {number}"
            other.exec_driver_sql(end)
        with pytest.raises(DBAPIError) as caught:
            read_versions(connection, [1])
    assert caught.value.connection_invalidated
    with engine.begin() as connection:
        assert read_versions(connection, [1]) == {}
    engine.dispose()


def test_a_query_that_the_server_refuses_loses_no_connection(server_url: str) -> None:
    engine = open_engine(server_url)
    with engine.connect() as connection:
        with pytest.raises(DBAPIError) as caught:
            read_versions(connection, [4711])  # there are no tables
        assert not caught.value.connection_invalidated
        assert "4711" not in str(caught.value)
        connection.rollback()
        assert connection.exec_driver_sql("SELECT 1").scalar_one() == 1
    engine.dispose()
