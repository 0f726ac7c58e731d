"""Fixtures for all tests."""

import gc
import sys
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from hotplate.engine.worker.garbage_collection import THRESHOLDS
from tests.databases import database_url, mariadb_server, postgresql_server, server_url
from tests.mistral_server import mistral
from tests.rewriting import write_bytecode
from tests.simulation.starts import SIMULATION_START, choose_start
from tests.tiers import mark_tiers, share_out

__all__ = ["database_url", "mariadb_server", "mistral", "postgresql_server", "server_url"]

# httpx imports it anew with every request to an application in this process. Where it is not
# installed, all folders are searched each time, which takes longer than many a request.
if find_spec("sniffio") is None:
    sys.modules["sniffio"] = None  # type: ignore[assignment]


def pytest_configure(config: pytest.Config) -> None:
    choose_start()
    write_bytecode(config)


def pytest_report_header() -> str:
    return f"random runs: {SIMULATION_START}={choose_start()} plays the same ones again"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is collected stays until the end: the garbage collector need not look at it.

    At what the tests make it looks as seldom as in a server.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(*THRESHOLDS)
        gc.enable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Mark before marks choose; share out what is left, once pytest has sorted it by fixtures."""
    mark_tiers(items)
    yield
    share_out(items)
