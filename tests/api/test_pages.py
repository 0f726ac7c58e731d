"""Pages beside the API."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from hotplate.server import health
from tests.api.conftest import Api


def test_a_healthy_server_says_ok(api: Api) -> None:
    answer = api.get("http://testserver/healthcheck")
    assert (answer.status_code, answer.text) == (200, "OK")


def test_the_description_of_the_api_is_openapi(api: Api) -> None:
    document = api.get("http://testserver/openapi.json").json()
    assert document["openapi"].startswith("3.1")


def test_figures_count_requests_by_route_and_never_by_address(api: Api) -> None:
    for address in ("/healthcheck", "/healthcheck///", "/v1/project/no/such/place", "/else/where"):
        api.get(f"http://testserver{address}")
    figures = api.get("http://testserver/metrics").text
    assert 'hotplate_requests_total{method="GET",route="/healthcheck",status="200"} 2.0' in figures
    assert 'hotplate_requests_total{method="GET",route="none",status="404"} 2.0' in figures
    assert "no/such/place" not in figures
    assert "hotplate_traversals_in_progress 0.0" in figures
    assert 'hotplate_nodes{state="ready"} 0.0' in figures
    assert "hotplate_oldest_operation_seconds 0.0" in figures
    assert "hotplate_workers 1.0" in figures
    assert 'hotplate_database_seconds_count{kind="write"}' in figures
    assert "process_cpu_seconds_total" in figures


def test_a_database_that_cannot_be_written_is_not_healthy(
    api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "_PATIENCE", 0.3)
    monkeypatch.setattr(health, "_INTERVAL", 0.0)
    address = "http://testserver/healthcheck"
    assert api.get(address).text == "OK"
    with closing(sqlite3.connect(tmp_path / "hotplate.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        answer = api.get(address)
        assert (answer.status_code, answer.text) == (
            503,
            "the database has not answered for 0 seconds",
        )
        other.execute("ROLLBACK")
    monkeypatch.setattr(health, "_PATIENCE", 30.0)
    assert api.get(address).text == "OK"


def test_however_often_health_is_asked_little_is_written(api: Api) -> None:
    def turns() -> int:
        def look(connection: Connection) -> int:
            statement = text("SELECT turns FROM latch WHERE name = 'health'")
            return int(connection.execute(statement).scalar_one())

        return api.run(api.engine.database.read(look))

    api.get("http://testserver/healthcheck")
    first = turns()
    for _ in range(50):
        assert api.get("http://testserver/healthcheck").text == "OK"
    assert turns() - first < 10
