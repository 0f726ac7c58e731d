"""Extensions of services are asked for once in an hour."""

import asyncio
from typing import Any

import pytest

from hotplate.cloud import CloudError, Unavailable
from hotplate.cloud.calling import Clock
from hotplate.cloud.extensions import Extensions


class Network:
    """Tells one extension more each time, but not at first."""

    def __init__(self) -> None:
        self.asked = 0
        self.now = 0.0

    async def get(self, path: str) -> Any:
        assert path == "/extensions"
        self.asked += 1
        await asyncio.sleep(0)
        if self.asked == 1:
            raise Unavailable("away")
        return {"extensions": [{"alias": f"x{number}"} for number in range(1, self.asked)]}


def test_what_is_known_is_not_asked_again_within_an_hour() -> None:
    """Nor is a service that did not answer, for half a minute."""
    network = Network()
    extensions = Extensions(lambda _: network, Clock(lambda: network.now))  # type: ignore[arg-type, return-value]

    async def story() -> None:
        for _ in range(2):  # it is asked once
            with pytest.raises(CloudError):
                await extensions.of("network")
        assert network.asked == 1
        network.now = 31.0
        found = await asyncio.gather(*(extensions.of("network") for _ in range(5)))
        assert set(found) == {frozenset(("x1",))}
        assert network.asked == 2
        network.now = 3632.0
        assert await extensions.of("network") == {"x1", "x2"}

    asyncio.run(story())
