"""A small HTTP service that counts what it is asked to do; repeated keys count once."""

import random
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SLOWEST = 0.03


class CountingService:
    """What was asked for, by path."""

    def __init__(self) -> None:
        self.url = ""
        self.requests: Counter[str] = Counter()
        self.keys: defaultdict[str, set[str]] = defaultdict(set)
        """The idempotency keys that came with the requests."""

        self._lock = threading.Lock()

    def take(self, path: str, key: str) -> None:
        """Do what is asked for."""
        with self._lock:
            self.requests[path] += 1
            self.keys[path].add(key)

    def requests_of(self, prefix: str) -> dict[str, int]:
        """Return how often each path below a prefix was asked for."""
        with self._lock:
            return {
                path.removeprefix(prefix): count
                for path, count in self.requests.items()
                if path.startswith(prefix)
            }

    def effects_of(self, prefix: str) -> dict[str, int]:
        """Return how many different keys each path below a prefix was asked with."""
        with self._lock:
            return {
                path.removeprefix(prefix): len(keys)
                for path, keys in self.keys.items()
                if path.startswith(prefix)
            }


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that were killed."""


@contextmanager
def counting_service() -> Iterator[CountingService]:
    """Serve on a free port of this machine for the length of a block."""
    service = CountingService()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length") or 0))
            time.sleep(random.uniform(0, SLOWEST))
            service.take(self.path, self.headers.get("idempotency-key", ""))
            time.sleep(random.uniform(0, SLOWEST))
            self.send_response(200)
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

    server = _Server(("127.0.0.1", 0), Handler)
    service.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
