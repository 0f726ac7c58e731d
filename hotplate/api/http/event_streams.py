"""What all streams of server-sent events have in common."""

from typing import Final

import orjson

from hotplate.api.http.faults import Fault

HEADERS: Final = {"cache-control": "no-store", "x-accel-buffering": "no"}

SILENCE: Final = 15.0
"""Seconds after which a comment is sent, so that proxies keep the connection."""

STILL_HERE: Final = b": still here\n\n"


def end_message(fault: Fault) -> bytes:
    """Return the last message of a stream whose reader would not be let in any more.

    It has no id: whoever comes back, with another token, goes on after the last event.
    """
    return b"event: end\ndata: %s\n\n" % orjson.dumps(fault.document())
