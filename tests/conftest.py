"""Fixtures for all tests."""

from tests.databases import database_url, mariadb_server, postgresql_server, server_url
from tests.mistral_server import mistral
from tests.simulation.starts import SIMULATION_START, choose_start

__all__ = ["database_url", "mariadb_server", "mistral", "postgresql_server", "server_url"]


def pytest_configure() -> None:
    choose_start()


def pytest_report_header() -> str:
    return f"random runs: {SIMULATION_START}={choose_start()} plays the same ones again"
