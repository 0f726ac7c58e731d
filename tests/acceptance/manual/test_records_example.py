"""The example of a type made of workflows does what it says, by the real command."""

import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.acceptance import warm_command

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def service() -> Iterator[str]:
    """The service of the example; its address."""
    process = subprocess.Popen(
        [sys.executable, ROOT / "examples" / "records" / "service.py", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    found = re.search(r"http://\S+(?=/)", process.stdout.readline())
    assert found is not None
    yield found[0]
    process.terminate()
    process.wait()
    process.stdout.close()


def records(service: str) -> Any:
    with urllib.request.urlopen(f"{service}/records", timeout=10) as answer:
        return json.load(answer)


class Hotplate:
    """The real command, with its own home."""

    def __init__(self, home: Path) -> None:
        environ = {name: text for name, text in os.environ.items() if "HOTPLATE_" not in name}
        self._environ = {**environ, "XDG_DATA_HOME": str(home), "XDG_CONFIG_HOME": str(home)}

    def __call__(self, *words: str, code: int = 0) -> str:
        done = warm_command.run(words, self._environ, ROOT)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr


@pytest.fixture
def hotplate(tmp_path: Path) -> Hotplate:
    return Hotplate(tmp_path)


def test_a_record_comes_changes_is_replaced_and_goes(service: str, hotplate: Hotplate) -> None:
    def up(**parameters: str) -> Any:
        given = {"service": service, **parameters}
        words = [word for name, text in given.items() for word in ("--parameter", f"{name}={text}")]
        hotplate("up", "examples/records/records.yaml", "--yes", *words)
        return records(service)

    first = {"id": "record-1", "host": "www.example.org", "address": "192.0.2.1"}
    assert up() == [first]
    assert f"{service}/records/record-1" in hotplate("outputs", "records", "url")
    assert up(address="192.0.2.2") == [{**first, "address": "192.0.2.2"}]
    second = {"id": "record-2", "host": "mail.example.org", "address": "192.0.2.2"}
    assert up(address="192.0.2.2", host="mail.example.org") == [second]
    hotplate("down", "records", "--yes")
    assert records(service) == []


@contextmanager
def answering(status: int) -> Iterator[str]:
    """A service that is never well; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self._answer(201, b'{"id": "record-1"}')

        def do_DELETE(self) -> None:
            self._answer(status, b"{}")

        def _answer(self, code: int, content: bytes) -> None:
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *given: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_the_stack_goes_also_when_the_service_is_away_or_was_never_there(
    hotplate: Hotplate,
) -> None:
    nowhere = "service=http://127.0.0.1:9"
    template = "examples/records/records.yaml"
    assert "CREATE_FAILED" in hotplate("up", template, "--yes", "--parameter", nowhere, code=1)
    hotplate("down", "records", "--yes")
    with answering(200) as service:
        hotplate("up", template, "--yes", "--parameter", f"service={service}")
    hotplate("down", "records", "--yes")


def test_what_the_service_refuses_to_delete_can_be_forgotten(hotplate: Hotplate) -> None:
    template = "examples/records/records.yaml"
    with answering(500) as service:
        given = ("--yes", "--parameter", f"service={service}")
        hotplate("up", template, *given)
        told = hotplate("down", "records", "--yes", code=1)
        assert "DELETE_FAILED" in told
        assert "hotplate down records --forget record" in told
        assert "hotplate abandon records" in told
        told = hotplate("up", template, *given, code=5)
        assert "could not be deleted" in told
        assert "is being deleted" not in told
        assert "hotplate down records --forget record" in hotplate("failures", "records")
        told = hotplate("down", "records", "--forget", "remove", "--yes", code=5)
        assert "Forgetting a resource whose deletion has not failed is not supported" in told
        told = hotplate("down", "records", "--forget", "record", "--yes")
    assert re.search(
        r"\? forgotten  record +\S+ +\(record-1 stays, and is not managed any more\)", told
    )
    assert "DELETE_COMPLETE" in told
