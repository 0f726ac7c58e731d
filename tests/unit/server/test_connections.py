"""Who may be connected, who makes room, and what the operator reads about it."""

import logging
from dataclasses import dataclass, field

import pytest

from hotplate.server.connections import ConnectionLimits, Connections, Reason, proxies


@dataclass(eq=False)
class Client:
    address: str = "192.0.2.1"
    since: float = 0.0
    is_waiting: bool = True
    has_answered: bool = False
    late: Reason | None = None
    dropped: list[Reason] = field(default_factory=list)

    def overdue(self, now: float) -> Reason | None:
        return self.late

    def drop(self, reason: Reason) -> None:
        self.dropped.append(reason)


def book(most: int = 4, each: int = 2, proxy: str = "") -> Connections:
    return Connections(ConnectionLimits(most=most, most_per_address=each), proxies(proxy))


def test_an_address_at_its_limit_loses_its_own_oldest_idle_connection() -> None:
    connections = book()
    old, young, other = Client(since=1), Client(since=2), Client("192.0.2.2", since=0)
    assert all(map(connections.admit, (old, other, young)))
    assert connections.admit(Client(since=3))
    assert (old.dropped, young.dropped, other.dropped) == ([Reason.EVICTED], [], [])
    assert len(connections) == 3


def test_one_that_never_brought_a_request_makes_room_before_one_that_did() -> None:
    connections = book()
    used, silent = Client(since=1, has_answered=True), Client(since=2)
    assert all(map(connections.admit, (used, silent)))
    assert connections.admit(Client(since=3))
    assert (used.dropped, silent.dropped) == ([], [Reason.EVICTED])


def test_an_address_whose_connections_all_work_gets_no_more() -> None:
    connections = book()
    for _ in range(2):
        assert connections.admit(Client(is_waiting=False))
    assert not connections.admit(Client())
    assert connections.admit(Client("192.0.2.2"))
    assert connections.closed == {"full": 1}


def test_a_trusted_proxy_has_no_limit_of_its_own() -> None:
    connections = book(proxy="192.0.2.0/24")
    for _ in range(4):
        assert connections.admit(Client(is_waiting=False))
    assert not connections.admit(Client(is_waiting=False))


def test_when_all_are_taken_whoever_has_most_makes_room() -> None:
    connections = book(most=3)
    greedy = [Client(since=5), Client(since=6)]
    modest = Client("192.0.2.2", since=1)
    for each in (*greedy, modest):
        assert connections.admit(each)
    assert connections.admit(Client("192.0.2.3", since=7))
    assert [each.dropped for each in (*greedy, modest)] == [[Reason.EVICTED], [], []]


def test_one_that_has_ended_leaves_room() -> None:
    connections = book(each=1)
    first = Client(is_waiting=False)
    assert connections.admit(first)
    assert not connections.admit(Client())
    connections.remove(first)
    connections.remove(first)
    assert connections.admit(Client())


def test_many_closed_connections_are_one_line_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    connections = book(most=100, each=100)
    for _ in range(50):
        connections.admit(Client(late=Reason.HEADERS))
    with caplog.at_level(logging.WARNING, "hotplate.server"):
        for second in range(9):
            connections.check(100.0 + second)
        assert len(caplog.records) == 1
        connections.check(111.0)
    one, two = caplog.records
    assert vars(one)["slow_headers"] == 50
    assert vars(two)["slow_headers"] == 450


@pytest.mark.parametrize(
    ("written", "address", "expected"),
    [
        ("", "127.0.0.1", False),
        ("*", "192.0.2.9", True),
        ("127.0.0.1, 192.0.2.0/24", "192.0.2.9", True),
        ("127.0.0.1", "192.0.2.9", False),
        ("::1", "::1", True),
        ("a-name", "local", False),
    ],
)
def test_which_addresses_are_proxies(written: str, address: str, expected: bool) -> None:
    assert proxies(written)(address) is expected
