"""Fixtures for all tests."""

from tests.databases import database_url, mariadb_server, postgresql_server, server_url

__all__ = ["database_url", "mariadb_server", "postgresql_server", "server_url"]
