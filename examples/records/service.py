"""A small service that keeps records: names and their addresses.

    python examples/records/service.py [port]

Look at http://127.0.0.1:8053/ while stacks come and go. A request with an Idempotency-Key that was
seen before gets the same answer as then, so a record is not made twice.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Lock
from typing import Any


class Records(ThreadingHTTPServer):
    """Keeps the records in memory."""

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.records: dict[str, dict[str, Any]] = {}
        self.answers: dict[str, dict[str, Any]] = {}
        self.numbers = count(1)
        self.lock = Lock()


class Handler(BaseHTTPRequestHandler):
    """GET / and /records, POST /records, PUT and DELETE /records/ID."""

    server: Records

    def do_GET(self) -> None:
        with self.server.lock:
            records = list(self.server.records.values())
        if self.path == "/records":
            self._answer(200, records)
            return
        rows = [f"{each['id']:>12}  {each['host']:<20} {each['address']}\n" for each in records]
        self._answer(200, "".join(rows) or "There are no records.\n")

    def do_POST(self) -> None:
        wanted = self._body()
        key = self.headers.get("Idempotency-Key") or ""
        with self.server.lock:
            made = self.server.answers.get(key)
            if made is None:
                made = {"id": f"record-{next(self.server.numbers)}", **wanted}
                self.server.records[made["id"]] = made
                if key:
                    self.server.answers[key] = made
        self._answer(201, made)

    def do_PUT(self) -> None:
        changes = self._body()
        with self.server.lock:
            found = self.server.records.get(self._id())
            if found is not None:
                found.update(changes)
        self._answer(200 if found else 404, found or {"error": "there is no such record"})

    def do_DELETE(self) -> None:
        with self.server.lock:
            self.server.records.pop(self._id(), None)
        self._answer(200, {})

    def _id(self) -> str:
        return self.path.rpartition("/")[2]

    def _body(self) -> dict[str, Any]:
        found = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        return {"host": str(found["host"]), "address": str(found["address"])}

    def _answer(self, status: int, value: Any) -> None:
        is_text = isinstance(value, str)
        content = value.encode() if is_text else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain" if is_text else "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


if __name__ == "__main__":
    with Records(int(sys.argv[1]) if len(sys.argv) > 1 else 8053) as server:
        sys.stdout.write(f"records at http://127.0.0.1:{server.server_port}/\n")
        sys.stdout.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            sys.exit()
