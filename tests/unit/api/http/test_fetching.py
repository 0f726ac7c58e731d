"""Which addresses a template is fetched from, and how long that may take."""

import socket
import threading
import time

import pytest

from hotplate.api.http.faults import Fault
from hotplate.api.http.fetching import fetch
from hotplate.api.http.settings import Settings


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
