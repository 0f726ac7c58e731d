"""Files that a service can fetch over HTTP while a case is played."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@contextmanager
def serving_files(files: Mapping[str, str]) -> Iterator[str]:
    """Serve files for the length of a block, and yield the address that their names follow."""
    if not files:
        yield ""
        return

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            text = files.get(self.path.lstrip("/"))
            self.send_response(404 if text is None else 200)
            self.end_headers()
            self.wfile.write((text or "").encode())

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
