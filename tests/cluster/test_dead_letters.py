"""Messages that the broker laid aside can be looked at, and removed."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import aio_pika
import pytest

from hotplate.dispatch.amqp.link import dead_queue, queue_of
from tests.cluster.processes import Cluster

COMMAND = str(Path(sys.executable).with_name("hotplate"))


def status(cluster: Cluster, *words: str) -> dict[str, Any]:
    """Return what `hotplate status` says."""
    command = [COMMAND, "status", "--database", cluster.database, "--output", "json", *words]
    done = subprocess.run(
        command, env=cluster._environ(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


async def lay_aside(url: str, *bodies: str) -> None:
    """Put messages where the broker puts those that nobody could bring to an end."""
    async with await aio_pika.connect(url.partition("?")[0]) as connection:
        channel = await connection.channel()
        for body in bodies:
            message = aio_pika.Message(body.encode())
            await channel.default_exchange.publish(message, dead_queue(queue_of(url)))


@pytest.mark.parametrize("server_url", ["postgresql"], indirect=True)
def test_dead_letters_are_shown_and_stay_until_they_are_removed(cluster: Cluster) -> None:
    assert status(cluster)["broker"]["dead"] == 0
    asyncio.run(lay_aside(cluster.broker, "one", "two"))
    assert status(cluster)["dead_letters"] == []
    for words in (["--dead-letters"], ["--remove-dead-letters"]):
        found = status(cluster, *words)
        assert [each["body"] for each in found["dead_letters"]] == ["one", "two"]
    assert status(cluster, "--dead-letters")["dead_letters"] == []
