"""Clients that are slow, greedy or rude do not keep others from being served."""

import contextlib
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.acceptance.serving import COMMAND, Served, end, serving, start, stop

QUICK = """
[connections]
most_per_address = 40
seconds_for_headers = 1
seconds_for_body = 1
seconds_to_read = 1
largest_headers = 16384
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    file = tmp_path_factory.mktemp("sockets") / "hotplate.toml"
    file.write_text(QUICK, encoding="utf-8")
    with serving("--config", str(file)) as found:
        yield found


def connect(served: Served) -> socket.socket:
    host, port = served.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=20)


def answer_to(served: Served, *pieces: bytes) -> bytes:
    """Return all that comes back until the server closes."""
    with connect(served) as client:
        with contextlib.suppress(OSError):
            for piece in pieces:
                client.sendall(piece)
        return rest_of(client)


def rest_of(client: socket.socket) -> bytes:
    found = b""
    with contextlib.suppress(ConnectionError):
        while piece := client.recv(65536):
            found += piece
    return found


def figure(served: Served, reason: str) -> float:
    text = httpx.get(f"{served.url}/metrics").text
    match = re.search(rf'connections_closed_total{{reason="{reason}"}} (\S+)', text)
    return float(match[1]) if match else 0.0


def test_1100_half_open_requests_do_not_end_the_service(tmp_path: Path) -> None:
    # As many open files as a process is usually allowed.
    command = tmp_path / "few-files"
    command.write_text(f'#!/bin/sh\nulimit -n 1024\nexec {COMMAND} "$@"\n', encoding="utf-8")
    command.chmod(0o700)
    database = f"sqlite:///{tmp_path / 'hotplate.db'}"
    served = start(database=database, folder=tmp_path, command=command)
    try:
        with contextlib.ExitStack() as clients:
            for _ in range(1100):
                client = clients.enter_context(connect(served))
                client.sendall(b"GET /v1/project/stacks HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            begun = time.monotonic()
            assert httpx.get(f"{served.url}/healthcheck", timeout=5).text == "OK"
            assert httpx.get(f"{served.endpoint()}/stacks", timeout=5).json() == {"stacks": []}
            assert time.monotonic() - begun < 5
        assert figure(served, "made_room") >= 800
        stop(served)
    finally:
        end(served)
    assert len(served.log().splitlines()) < 30, served.log()


def test_headers_that_do_not_come_are_not_waited_for(served: Served) -> None:
    begun = time.monotonic()
    said = answer_to(served, b"GET / HTTP/1.1\r\nHost: ")
    assert said.startswith(b"HTTP/1.1 408 ")
    assert time.monotonic() - begun < 8


def test_a_body_that_does_not_come_is_not_waited_for(served: Served) -> None:
    head = b"POST /v1/project/stacks HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n\r\n{"
    assert answer_to(served, head).startswith(b"HTTP/1.1 408 ")
    assert figure(served, "slow_body") >= 1


@pytest.mark.parametrize(
    "headers",
    [
        b"X: " + b"y" * 200_000,
        b"".join(b"X%d: y\r\n" % number for number in range(300)),
        b"X: y\r\n" * 4000,
    ],
)
def test_headers_have_a_limit(served: Served, headers: bytes) -> None:
    said = answer_to(
        served, b"GET /healthcheck HTTP/1.1\r\nHost: 127.0.0.1\r\n", headers, b"\r\n\r\n"
    )
    assert said == b"" or said.startswith(b"HTTP/1.1 431 "), said[:100]


def test_an_address_has_a_limit(served: Served) -> None:
    with contextlib.ExitStack() as clients:
        opened = [clients.enter_context(connect(served)) for _ in range(60)]
        assert httpx.get(f"{served.url}/healthcheck").text == "OK"
        opened[0].settimeout(5)
        assert rest_of(opened[0]) == b""


def test_a_client_that_does_not_read_its_answers_is_dropped(served: Served) -> None:
    before = figure(served, "slow_reader")
    with connect(served) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        request = b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        limit = time.monotonic() + 30
        with contextlib.suppress(ConnectionError, TimeoutError):
            client.settimeout(1)
            for _ in range(60):
                client.sendall(request)
                time.sleep(0.05)
        while figure(served, "slow_reader") == before:
            assert time.monotonic() < limit
            time.sleep(0.2)


def test_an_answer_is_given_however_slowly_it_is_read_above_the_lowest_rate(served: Served) -> None:
    whole = httpx.get(f"{served.url}/openapi.json").content
    with connect(served) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(
            b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
        )
        found = b""
        while piece := client.recv(len(whole) // 8):
            found += piece
            time.sleep(0.3)
    assert found.endswith(whole[-1000:])


def test_requests_sent_ahead_have_a_limit(served: Served) -> None:
    said = answer_to(served, b"GET /healthcheck HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 1000)
    assert said.count(b"200 OK") < 100


def test_rude_requests_are_a_few_lines_of_the_log(served: Served) -> None:
    before = len(served.log().splitlines())
    for _ in range(50):
        assert b" 400 " in answer_to(served, b"\x16\x03\x01 what is this\r\n\r\n")
    told = [each for each in served.log().splitlines()[before:] if "Invalid HTTP" in each]
    assert len(told) <= 10


def test_no_answer_is_taken_for_something_else_than_it_says(served: Served) -> None:
    for address in ("/healthcheck", "/v1/project/stacks", "/no/such/place"):
        answer = httpx.get(f"{served.url}{address}")
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert b"nosniff" in answer_to(served, b"what is this\r\n\r\n")
