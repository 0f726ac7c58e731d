"""One process of a pool: evaluates one thing after the other, within limits it cannot exceed."""

import os
import resource
import signal
import socket
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Engine

from hotplate.bounded import Evaluation, time_limit
from hotplate.engine.context import Tools
from hotplate.engine.recipes.book import RecipeBook
from hotplate.engine.world import RealWorld
from hotplate.evaluation.frames import ENDS, GOES_ON, receive_frame, send_frame
from hotplate.evaluation.settings import PoolSettings
from hotplate.evaluation.transfer import Transfer
from hotplate.resources.catalogue import Catalogue
from hotplate.store.database import open_for_reading
from hotplate.store.sealing import KeyFile, Sealer

_PAGE: Final = resource.getpagesize()


def serve(connection: socket.socket, settings: PoolSettings, catalogue: Catalogue) -> None:
    """Evaluate until the other side is gone, or until too much memory is in use."""
    _bound_memory(settings.memory)
    tools = Tools(
        RealWorld(services=dict.fromkeys(settings.services)),
        RecipeBook(catalogue),
        catalogue,
        allows_unverified=settings.allows_unverified,
        most_resources=settings.most_resources,
        deepest_nesting=settings.deepest_nesting,
        switched_off=settings.switched_off,
    )
    transfer, database = Transfer(tools), _Database(settings)
    most, goes_on = _resident() + settings.kept, True
    while goes_on:
        request = receive_frame(connection)
        if request is None:
            return
        # What takes too long ends the process, wherever it is: no code here need look at a clock.
        signal.setitimer(signal.ITIMER_PROF, settings.seconds)
        answer = _answer(transfer, tools, database, request, settings.seconds)
        signal.setitimer(signal.ITIMER_PROF, 0)
        goes_on = _resident() < most
        send_frame(connection, GOES_ON if goes_on else ENDS, *answer)
        del request, answer


def _answer(
    transfer: Transfer, tools: Tools, database: "_Database", request: bytes, seconds: float
) -> list[bytes]:
    is_error, found = False, None
    try:
        evaluation: Evaluation[Any] = transfer.loads(request)
        with time_limit(seconds):
            found = database.evaluated(tools, evaluation)
        return transfer.pieces((is_error, found), evaluation.args)
    except MemoryError:
        # What has been built is let go first: there is no room to say anything before.
        del found
        os._exit(1)
    except Exception as error:  # raised again where the evaluation was asked for
        return transfer.pieces((True, error))


class _Database:
    """A connection of the process's own, made when something must be read."""

    def __init__(self, settings: PoolSettings) -> None:
        self._settings = settings
        self._engine: Engine | None = None

    def evaluated(self, tools: Tools, evaluation: Evaluation[Any]) -> Any:
        if not evaluation.reads:
            return evaluation.run(tools, None)
        if self._engine is None:
            file = self._settings.key_file
            sealer = None if file is None else Sealer(KeyFile(file))
            self._engine = open_for_reading(self._settings.database, sealer)
        with self._engine.connect() as connection, connection.begin():
            return evaluation.run(tools, connection)


def _bound_memory(more: int) -> None:
    size = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * _PAGE
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = size + more
    resource.setrlimit(
        resource.RLIMIT_AS,
        (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard),
    )


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * _PAGE
