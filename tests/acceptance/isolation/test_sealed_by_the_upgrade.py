"""A database that an older version filled, in the clear, is sealed by the upgrade."""

import sys
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from sqlalchemy import Connection, Engine, MetaData, create_engine, make_url, select, text

from hotplate.store.database import open_engine
from hotplate.store.upgrade import upgrade
from tests.acceptance.isolation.secret_search import found_in, stored, strings
from tests.acceptance.isolation.secret_ways import PATIENCE, Ways
from tests.acceptance.serving import end, start, stop
from tests.databases import Server, new_sqlite_file, scripts_up_to

_LAST_PLAIN = "0011"
"""The newest schema without keys."""

_NOT_STORED = {"previewed", "validated"}
"""Ways that lead into no database."""

_PLAIN_SERVER = f"""#!{sys.executable}
import hotplate.engine.embedded
import hotplate.evaluation.process
from hotplate.cli.main import main

for module in (hotplate.engine.embedded, hotplate.evaluation.process):
    module.Sealer = lambda file: None
main()
"""


@dataclass(frozen=True, slots=True)
class Filled:
    """An SQLite file with secrets in the clear, and what they are."""

    url: str
    ways: Ways


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Filled:
    """All that a server without keys has stored."""
    folder = tmp_path_factory.mktemp("plain")
    command = folder / "plain"
    command.write_text(_PLAIN_SERVER, encoding="utf-8")
    command.chmod(0o700)
    url = f"sqlite:///{new_sqlite_file(folder / 'hotplate.db')}"
    served = start(database=url, folder=folder, command=command)
    ways = Ways(served.url, mark="Vk")
    try:
        ways.go()
        stop(served)
    finally:
        ways.close()
        end(served)
    assert found_in(stored(url), ways.sent) == set(ways.sent) - _NOT_STORED
    return Filled(url, ways)


def _older(filled: Filled, url: str, folder: Path) -> None:
    """Make a database of the older schema with all rows, as far as that schema knows them."""
    engine = open_engine(url)
    upgrade(engine, scripts_up_to(_LAST_PLAIN, folder))
    source = create_engine(filled.url)
    old, new = MetaData(), MetaData()
    old.reflect(engine)
    new.reflect(source)
    with source.connect() as reading, engine.begin() as writing:
        for table in old.sorted_tables:
            if table.name == "alembic_version":
                continue
            names = [each.name for each in table.c if each.name in new.tables[table.name].c]
            query = select(*(new.tables[table.name].c[name] for name in names))
            writing.execute(table.delete())
            if rows := [dict(row._mapping) for row in reading.execute(query)]:
                writing.execute(table.insert(), rows)
        _count_on(writing, old)
    source.dispose()
    engine.dispose()


def _count_on(connection: Connection, tables: MetaData) -> None:
    """PostgreSQL does not count numbers that it was given."""
    if connection.dialect.name != "postgresql":
        return
    for table in tables.sorted_tables:
        for column in table.primary_key:
            place = {"table": table.name, "column": column.name}
            sequence = connection.execute(
                text("SELECT pg_get_serial_sequence(:table, :column)"), place
            ).scalar()
            if sequence:
                newest = (
                    f"SELECT setval('{sequence}', (SELECT max({column.name}) FROM {table.name}))"
                )
                connection.execute(text(newest))


def _compacted(engine: Engine, server: Server, url: str) -> Path:
    """Do what the operator guide says, and return the folder of the database's files."""
    tables = MetaData()
    tables.reflect(engine)
    name = str(make_url(url).database)
    is_postgresql = engine.dialect.name == "postgresql"
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if is_postgresql:
            connection.exec_driver_sql("VACUUM FULL")
            connection.exec_driver_sql("CHECKPOINT")
            query = text("SELECT oid FROM pg_database WHERE datname = :name")
            number = connection.execute(query, {"name": name}).scalar_one()
            return server.folder / "data" / "base" / str(number)
        names = [f"`{table.name}`" for table in tables.sorted_tables]
        connection.exec_driver_sql(f"OPTIMIZE TABLE {', '.join(names)}")
        # The only statement after which all that was changed is in the files of the tables.
        connection.exec_driver_sql(f"FLUSH TABLES {', '.join(names)} FOR EXPORT")
        connection.exec_driver_sql("UNLOCK TABLES")
    return server.folder / "data" / name


def test_the_upgrade_seals_what_is_there_and_all_of_it_is_read_afterwards(
    filled: Filled, database_url: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    sent = filled.ways.sent
    _older(filled, database_url, tmp_path)
    assert found_in(stored(database_url), sent) == set(sent) - _NOT_STORED
    served = start(database=database_url, folder=tmp_path)
    try:
        assert found_in(stored(database_url), sent) == set()
        with httpx.Client(timeout=PATIENCE) as http:
            path = f"{served.endpoint()}{filled.ways.path}"
            shown = http.get(f"{path}/outputs/derived").json()["output"]["output_value"]
            assert shown == f"{sent['patched']}-{sent['listed']}"
            assert sent["literal"] in http.get(f"{path}/template").text
            assert (
                sent["nested"] in http.get(f"{path}/files").text + http.get(f"{path}/template").text
            )
            flows = {"X-Project-Id": "project"}
            workflow = http.get(f"{served.url}/v2/workflows/flow", headers=flows).text
            assert sent["flow_default"] in workflow
            executions = http.get(f"{served.url}/v2/executions", headers=flows).json()
            assert sent["workflow input"] in executions["executions"][0]["input"]
        again = Ways(served.url, mark=filled.ways.mark)
        again.path, again.sent = filled.ways.path, dict(sent)
        again.change("updated after the upgrade")
        again.close()
        assert found_in(stored(database_url), again.sent) == set()
        stop(served)
    finally:
        end(served)
    if not database_url.startswith("sqlite"):
        kind = request.node.callspec.params["database_url"]
        engine = open_engine(database_url)
        folder = _compacted(engine, request.getfixturevalue(f"{kind}_server"), database_url)
        engine.dispose()
        content = strings(folder)
        assert b"from_template" in content
        assert found_in(content, sent) == set()
    assert "Vk" not in served.log()
