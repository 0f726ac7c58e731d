import asyncio

import httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from hotplate.server.address import Address
from hotplate.server.guard import Guard


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("in")(scope, receive, send)


def asked(listen: str, headers: dict[str, str], *names: str) -> int:
    guard = Guard(answer, Address(listen, 8004), names)

    async def ask() -> int:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(guard)) as client:
            return (await client.get("http://127.0.0.1:8004/", headers=headers)).status_code

    return asyncio.run(ask())


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8004", "[::1]:8004", "ours.example:80"])
def test_names_of_the_server_are_answered(host: str) -> None:
    assert asked("127.0.0.1", {"host": host}, "ours.example") == 200


@pytest.mark.parametrize("host", ["evil.example", "10.0.0.1", "localhost.evil.example", "", "[::"])
def test_names_of_others_are_refused(host: str) -> None:
    assert asked("127.0.0.1", {"host": host}, "ours.example") == 403


def test_a_server_on_all_addresses_is_known_by_any_address_and_by_no_name() -> None:
    assert asked("0.0.0.0", {"host": "10.0.0.1:8004"}) == 200
    assert asked("0.0.0.0", {"host": "evil.example"}) == 403


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:8004", 200),
        ("http://LOCALHOST:8004", 200),
        ("http://localhost:9999", 403),
        ("http://evil.example", 403),
        ("null", 403),
        ("http://[::", 403),
    ],
)
def test_only_our_own_pages_may_ask(origin: str, status: int) -> None:
    assert asked("127.0.0.1", {"host": "localhost:8004", "origin": origin}) == status


@pytest.mark.parametrize(
    ("site", "status"), [("cross-site", 403), ("same-origin", 200), ("none", 200)]
)
def test_requests_of_pages_of_other_sites_are_refused(site: str, status: int) -> None:
    assert asked("127.0.0.1", {"host": "localhost:8004", "sec-fetch-site": site}) == status


@pytest.mark.parametrize(
    "host",
    [
        "evil.example@localhost",
        "localhost/evil.example",
        "localhost:8004:8004",
        "localhost#evil",
        "localhost:port",
        "local%68ost",
        " localhost",
        "[::1",
        "-localhost",
    ],
)
def test_hosts_in_odd_forms_are_refused(host: str) -> None:
    assert asked("127.0.0.1", {"host": host}) == 403
