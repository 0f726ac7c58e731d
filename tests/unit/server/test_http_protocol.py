"""Whose a request is, from its first step on."""

import asyncio
from contextvars import copy_context
from typing import Any

import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from hotplate.server.connections import ConnectionLimits, Connections
from hotplate.server.http_protocol import BoundedProtocol, protocol_of
from hotplate.store.fairness.fair_queue import project_of


class Wire(asyncio.Transport):
    """A connection whose other side takes everything."""

    def __init__(self) -> None:
        super().__init__({"peername": ("192.0.2.1", 5000), "sockname": ("192.0.2.2", 8004)})

    def write(self, data: Any) -> None:
        """Forget it."""

    def is_closing(self) -> bool:
        return False

    def get_write_buffer_size(self) -> int:
        return 0

    def close(self) -> None:
        """Stay open."""


class Server:
    """A server that lets tokens into projects of their names, and notes for whom it began."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        connections = Connections(ConnectionLimits(), lambda address: False)
        self._protocol = protocol_of(connections, 75)
        self._config = uvicorn.Config(
            self._answer, interface="asgi3", log_config=None, lifespan="off"
        )
        self._config.load()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.begun.append(project_of(copy_context()))
        token = dict(scope["headers"]).get(b"x-auth-token", b"").decode()
        scope["state"]["project"] = token
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    def connected(self) -> BoundedProtocol:
        found = self._protocol(
            config=self._config,
            server_state=ServerState(),
            app_state={},
            _loop=asyncio.get_running_loop(),
        )
        found.connection_made(Wire())
        return found


async def asked(connection: BoundedProtocol, path: str, token: str = "") -> None:
    header = f"X-Auth-Token: {token}\r\n" if token else ""
    connection.data_received(f"GET {path} HTTP/1.1\r\nHost: x\r\n{header}\r\n".encode())
    for _ in range(5):
        await asyncio.sleep(0)


def test_a_token_that_was_let_in_has_its_project_on_a_new_connection() -> None:
    async def play() -> list[str]:
        server = Server()
        await asked(server.connected(), "/v1/a/stacks", "a")
        await asked(server.connected(), "/v1/a/stacks", "a")
        await asked(server.connected(), "/v1/a/stacks", "unknown")
        return server.begun

    assert asyncio.run(play()) == ["", "a", ""]


def test_a_health_check_leaves_a_connection_whose_it_was() -> None:
    async def play() -> tuple[list[str], str]:
        server = Server()
        connection = server.connected()
        for path, token in (("/v1/a/stacks", "a"), ("/healthcheck", ""), ("/v1/a/stacks", "")):
            await asked(connection, path, token)
        connection._unset_keepalive_if_required()
        return server.begun, connection.project

    assert asyncio.run(play()) == (["", "a", "a"], "a")


def test_another_token_on_the_same_connection_counts() -> None:
    async def play() -> list[str]:
        server = Server()
        connection = server.connected()
        await asked(connection, "/v1/a/stacks", "a")
        await asked(server.connected(), "/v1/b/stacks", "b")
        await asked(connection, "/v1/b/stacks", "b")
        return server.begun

    assert asyncio.run(play()) == ["", "", "b"]
