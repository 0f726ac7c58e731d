"""A small network service before which the real keystonemiddleware stands, in no time.

Run by the Python of the test cloud, as a program: its argument is JSON, the settings of the
middleware. It prints its port, and ends with its standard input.
"""

import json
import sys
import threading
import uuid
from collections.abc import Iterable
from socketserver import ThreadingMixIn
from typing import Any
from urllib.parse import parse_qs
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

_networks: dict[str, dict[str, Any]] = {}


def application(environ: dict[str, Any], answer: Any) -> Iterable[bytes]:
    """Make, list, show, change and delete networks, each in the project of the token."""
    status, body = _done(environ)
    content = b"" if body is None else json.dumps(body).encode()
    headers = [("Content-Type", "application/json"), ("Content-Length", str(len(content)))]
    answer(status, headers)
    return [content]


def _done(environ: dict[str, Any]) -> tuple[str, Any]:
    method, project = environ["REQUEST_METHOD"], environ["HTTP_X_PROJECT_ID"]
    key = environ["PATH_INFO"].rstrip("/").rpartition("/")[2]
    size = int(environ.get("CONTENT_LENGTH") or 0)
    given = json.loads(environ["wsgi.input"].read(size))["network"] if size else {}
    if key == "networks" and method == "POST":
        made = {"id": str(uuid.uuid4()), "status": "ACTIVE", "project_id": project, **given}
        made["by"] = environ["HTTP_X_USER_ID"]
        _networks[made["id"]] = made
        return "201 Created", {"network": made}
    if key == "networks":
        query = parse_qs(environ.get("QUERY_STRING", ""))
        wanted = {"project_id": [project], **query}
        found = [
            each
            for each in _networks.values()
            if all(each.get(name) in values for name, values in wanted.items())
        ]
        return "200 OK", {"networks": found}
    if _networks.get(key, {}).get("project_id") != project:
        return "404 Not Found", {"NeutronError": {"message": f"Network {key} could not be found."}}
    if method == "DELETE":
        del _networks[key]
        return "204 No Content", None
    _networks[key].update(given)
    return "200 OK", {"network": _networks[key]}


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Silent(WSGIRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Nobody reads it."""


def main() -> None:
    from keystonemiddleware.auth_token import AuthProtocol  # noqa: PLC0415 (the cloud has it)

    guarded = AuthProtocol(application, json.loads(sys.argv[1]))
    server = make_server("127.0.0.1", 0, guarded, _Server, _Silent)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
