"""The test cloud, for tests that need real services."""

import pytest

from tests.cloud.box.control import up


@pytest.fixture(scope="session", autouse=True)
def cloud() -> None:
    """The cloud runs; it is left running, the next run begins sooner for it."""
    up()
