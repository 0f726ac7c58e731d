"""Reading what the user named: files, addresses, and standard input as `-`."""

import sys
from functools import cache

from hotplate.client import MOST_BYTES, read_url, url_of

STDIN = "-"
"""What standard input is called. Files that it names are found from the current folder."""


def read(url: str) -> bytes:
    """Return the content of an address. Raises OSError in plain words."""
    return _standard_input() if url == url_of(STDIN) else read_url(url)


@cache
def _standard_input() -> bytes:
    """Return all of it: it can be read once, and may be named twice."""
    content = sys.stdin.buffer.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise OSError(f"it is larger than {MOST_BYTES} bytes")
    return content
