"""Times as the API writes them."""

from datetime import UTC, datetime
from functools import lru_cache


def shown_time(seconds: float | None) -> str | None:
    """Return a time in UTC without a fraction; None for none."""
    return None if seconds is None else _shown(int(seconds))


@lru_cache(maxsize=4096)
def _shown(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
