"""The likely intention behind a misspelt name."""

from collections.abc import Iterable
from difflib import get_close_matches

_MOST_CANDIDATES = 500
_LONGEST_NAME = 100


def did_you_mean(name: object, candidates: Iterable[str]) -> str:
    """Return ``did you mean "x"?`` for the nearest candidate, or an empty text.

    Costs a bounded amount whatever the size of ``candidates``.
    """
    if not isinstance(name, str) or len(name) > _LONGEST_NAME:
        return ""
    some = [c for c, _ in zip(candidates, range(_MOST_CANDIDATES), strict=False)]
    by_folded = {candidate.lower(): candidate for candidate in reversed(some)}
    close = get_close_matches(name.lower(), by_folded, n=1, cutoff=0.7)
    return f'did you mean "{by_folded[close[0]]}"?' if close else ""
