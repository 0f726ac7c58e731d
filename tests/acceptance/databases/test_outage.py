"""A database server that goes away and comes back while `hotplate serve` runs."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import httpx
from sqlalchemy import make_url

from tests.acceptance.serving import PATIENCE, serving

TEMPLATE = """
heat_template_version: wallaby
resources:
  first: {type: OS::Heat::TestResource, properties: {wait_secs: 1}}
  second: {type: OS::Heat::RandomString, depends_on: first}
"""


class Wire:
    """A way to a database that can be cut."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._is_cut = False
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        self._is_cut = True
        for end in list(self._open):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        self._is_cut = False

    def close(self) -> None:
        self.cut()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            if self._is_cut:
                near.close()
                continue
            far = socket.create_connection(self._target)
            self._open |= {near, far}
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._carry, args=(source, sink), daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        for end in (source, sink):
            self._open.discard(end)
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        source.close()


@contextmanager
def wire_to(url: str) -> Iterator[tuple[Wire, str]]:
    parsed = make_url(url)
    wire = Wire(parsed.host or "127.0.0.1", parsed.port or 0)
    try:
        through = parsed.set(host="127.0.0.1", port=wire.port)
        yield wire, through.render_as_string(hide_password=False)
    finally:
        wire.close()


def until(address: str, status: int) -> str:
    limit = time.monotonic() + PATIENCE
    while True:
        answer = httpx.get(address, timeout=PATIENCE)
        if answer.status_code == status:
            return answer.text
        assert time.monotonic() < limit, f"still {answer.status_code}: {answer.text}"
        time.sleep(0.1)


def test_a_server_outlives_an_outage_of_its_database(server_url: str) -> None:
    with wire_to(server_url) as (wire, url), serving(database=url) as served:
        health = f"{served.url}/healthcheck"
        assert httpx.get(health).text == "OK"
        body = {"stack_name": "app", "template": TEMPLATE}
        made = httpx.post(f"{served.endpoint()}/stacks", json=body)
        assert made.status_code == 201, made.text
        wire.cut()
        assert until(health, 503).startswith("the database ")
        figures = httpx.get(f"{served.url}/metrics", timeout=PATIENCE).text
        assert "hotplate_traversals_in_progress -1.0" in figures
        refusal = httpx.get(f"{served.endpoint()}/services", timeout=PATIENCE)
        assert refusal.status_code == 503
        assert refusal.headers["retry-after"] == "5"
        # Longer than a heartbeat: the worker has met the outage too.
        time.sleep(3)
        wire.mend()
        assert until(health, 200) == "OK"
        stack = f"{served.endpoint()}/stacks/app/{made.json()['stack']['id']}"
        limit = time.monotonic() + PATIENCE
        while httpx.get(stack).json()["stack"]["stack_status"] != "CREATE_COMPLETE":
            assert time.monotonic() < limit
            time.sleep(0.1)
    assert "the database is away" in served.said
    assert "the database is back" in served.said
