"""A worker whose resources take as long as the test likes: `slow_worker FOLDER [elsewhere] URLS`.

Each creation leaves a file with the number of its process. With "elsewhere" the worker cannot see
the processes of the others, as if it were on another machine.
"""

import asyncio
import gc
import os
import signal
import sys
from pathlib import Path
from unittest import mock

from hotplate.dispatch.amqp import dispatching
from hotplate.engine import embedded
from hotplate.engine.worker.presence import name_of_this_process
from hotplate.resources.catalogue import Catalogue
from hotplate.resources.resource_type import Creation, Done, Resource, ResourceType, Result

_GO = "go"


class Slow(ResourceType):
    """Is created when the test says so."""

    name = "Test::Slow"
    creation = Creation.REPEATABLE
    folder = Path()

    async def create(self, resource: Resource) -> Result:
        (self.folder / f"{os.getpid()} {resource.name}").touch()
        while not (self.folder / _GO).exists():  # noqa: ASYNC110 (another process says so)
            await asyncio.sleep(0.02)
        return Done(physical_id=resource.physical_name)


def _cut_connections() -> None:
    """End the connections to the broker, as a network would that stumbles."""
    for each in gc.get_objects():
        if isinstance(each, asyncio.StreamWriter) and not each.is_closing():
            each.transport.abort()


async def _work(database: str, broker: str) -> None:
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    role = embedded.Role(dispatching=lambda: dispatching(broker, name_of_this_process()))
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, _cut_connections)
    async with embedded.embedded(database, catalogue=Catalogue([Slow()]), role=role) as engine:
        print("ready", engine.worker.id, flush=True)
        await stopped.wait()


if __name__ == "__main__":
    Slow.folder = Path(sys.argv[1])
    if "elsewhere" in sys.argv:
        # Not an assignment: this fails if the engine calls it by another name.
        mock.patch.object(embedded, "process_has_ended", return_value=False).start()
    asyncio.run(_work(*sys.argv[-2:]))
