"""The likely intention behind a misspelt name."""

from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache
from heapq import nlargest
from itertools import pairwise

_MOST_CANDIDATES = 500
_MOST_COMPARED = 5
_LONGEST_NAME = 60


def did_you_mean(name: object, candidates: Iterable[str]) -> str:
    """Return ``did you mean "x"?`` for the nearest candidate, or an empty text.

    Costs less than a millisecond or two, whatever the size of ``candidates``: a hostile template
    has thousands of misspelt names. Only those that share most pairs of letters are compared.
    """
    if not isinstance(name, str) or len(name) > _LONGEST_NAME:
        return ""
    some = [c for c, _ in zip(candidates, range(_MOST_CANDIDATES), strict=False)]
    by_folded = {c.lower(): c for c in reversed(some) if len(c) <= 2 * _LONGEST_NAME}
    folded = name.lower()
    pairs = _pairs(folded)

    def likeness(candidate: str) -> float:
        others = _pairs(candidate)
        return len(pairs & others) / (len(pairs) + len(others))

    nearest = nlargest(_MOST_COMPARED, by_folded, likeness)
    close = get_close_matches(folded, nearest, n=1, cutoff=0.7)
    return f'did you mean "{by_folded[close[0]]}"?' if close else ""


@lru_cache(maxsize=4096)
def _pairs(text: str) -> frozenset[str]:
    padded = f" {text} "
    return frozenset(map("".join, pairwise(padded)))
