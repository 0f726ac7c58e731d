"""Fixtures for all tests."""

from tests.databases import database_url, mariadb_server, postgresql_server, server_url
from tests.mistral_server import mistral

__all__ = ["database_url", "mariadb_server", "mistral", "postgresql_server", "server_url"]
