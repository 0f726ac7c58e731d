"""The test cloud, for tests that need real services."""

import os

import pytest

from tests.cloud.box.control import up


@pytest.fixture(scope="session", autouse=True)
def cloud() -> None:
    """The cloud runs; it is left running, the next run begins sooner for it."""
    os.environ["no_proxy"] = "127.0.0.1"  # whatever proxy leads elsewhere
    up()
