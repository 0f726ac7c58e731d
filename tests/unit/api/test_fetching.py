"""Which addresses a template is fetched from, and how long that may take."""

import socket
import threading
import time

import pytest

from hotplate.api.faults import Fault
from hotplate.api.fetching import fetch, is_public
from hotplate.api.settings import Settings


@pytest.mark.parametrize("address", ["8.8.8.8", "2001:4860:4860::8888", "::ffff:8.8.8.8"])
def test_addresses_of_the_public_network(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1",
        "169.254.169.254", "100.64.0.1", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1",
        "fe80::1%eth0", "fd00::1", "ff02::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1",
        "2002:7f00:1::", "nonsense",
    ],
)  # fmt: skip
def test_all_others_are_not_public(address: str) -> None:
    assert not is_public(address)


def test_a_server_that_sends_a_byte_now_and_then_is_cut_off() -> None:
    done = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def drip() -> None:
            peer, _ = listening.accept()
            with peer:
                while not done.wait(0.05):
                    try:
                        peer.send(b"H")
                    except OSError:
                        return

        thread = threading.Thread(target=drip)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        begun = time.monotonic()
        with pytest.raises(Fault, match="Could not retrieve template"):
            fetch(url, Settings(may_fetch_private=True, seconds_to_fetch=0.3))
        assert time.monotonic() - begun < 10
        done.set()
        thread.join()
