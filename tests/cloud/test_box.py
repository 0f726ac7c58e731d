"""The test cloud itself: all of its services are in the catalogue and answer."""

import pytest

from tests.cloud.box.places import SERVICES
from tests.cloud.box.processes import answers


@pytest.mark.parametrize("service", SERVICES)
def test_every_service_answers(service: str) -> None:
    assert answers(service)
