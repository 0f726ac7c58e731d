"""A proxy before Keystone: counts what is asked, and can be away."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from tests.cloud.box.places import KEYSTONE

_HOP = frozenset(("connection", "keep-alive", "transfer-encoding", "content-length", "host"))


class CountingProxy:
    """Hands requests on to Keystone while it is not away."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        """Method and path of each request."""

        self._server: ThreadingHTTPServer | None = None
        self._thread: threading.Thread | None = None
        self._port = 0
        self.come()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v3"

    def come(self) -> None:
        """Answer again, at the same address."""
        proxy = self

        class Handler(_Handler):
            asked = proxy.asked

        ThreadingHTTPServer.allow_reuse_address = True
        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), Handler)
        self._server.daemon_threads = True
        self._port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def go(self) -> None:
        """Refuse all connections."""
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()
            self._server = None

    def count(self) -> int:
        """Return how many requests there were since it was asked last."""
        found = len(self.asked)
        self.asked.clear()
        return found


class _Handler(BaseHTTPRequestHandler):
    # A connection for each request: none is left open when the proxy goes.
    protocol_version = "HTTP/1.0"
    asked: list[str]

    def _pass_on(self) -> None:
        self.asked.append(f"{self.command} {self.path}")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        target = urlsplit(KEYSTONE)
        connection = HTTPConnection(str(target.hostname), target.port, timeout=60)
        headers = {name: text for name, text in self.headers.items() if name.lower() not in _HOP}
        connection.request(self.command, self.path, body or None, headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        self.send_response(answer.status)
        for name, text in answer.getheaders():
            if name.lower() not in _HOP:
                self.send_header(name, text)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def __getattr__(self, name: str) -> Any:
        """Do the same whatever the method is."""
        if name.startswith("do_"):
            return self._pass_on
        raise AttributeError(name)

    def log_message(self, *_: Any) -> None:
        """Nobody reads it."""


@contextmanager
def counting_proxy() -> Iterator[CountingProxy]:
    proxy = CountingProxy()
    try:
        yield proxy
    finally:
        proxy.go()
