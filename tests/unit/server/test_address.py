import socket

import pytest

from hotplate.server.address import Address, is_loopback, listen, parse_address
from hotplate.server.refusal import CannotStart


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:80", Address("127.0.0.1", 80)),
        ("localhost", Address("localhost", 8004)),
        ("[::1]:0", Address("::1", 0)),
        ("0.0.0.0:65535", Address("0.0.0.0", 65535)),
    ],
)
def test_addresses_are_read_and_written_alike(text: str, address: Address) -> None:
    assert parse_address(text) == address
    assert parse_address(str(address)) == address


@pytest.mark.parametrize("text", ["", ":80", "host:", "host:65536", "host:x", "::1", "host:-1"])
def test_what_is_no_address_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(CannotStart, match="write HOST:PORT") as fault:
        parse_address(text)
    assert fault.value.code == 2


@pytest.mark.parametrize("host", ["localhost", "LocalHost.", "a.localhost", "127.8.9.1", "::1"])
def test_names_of_this_machine(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["", "localhost.example.org", "10.0.0.1", "::", "0.0.0.0", "127"])
def test_names_of_other_machines(host: str) -> None:
    assert not is_loopback(host)


def test_answers_do_not_wait_until_the_client_has_acknowledged_their_beginning() -> None:
    with listen(Address("127.0.0.1", 0)) as bound, socket.create_connection(bound.getsockname()):
        accepted, _ = bound.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1
