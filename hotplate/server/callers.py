"""Whose tokens are that were let in lately: a guess at whose a request is before that is asked."""

from collections import OrderedDict
from collections.abc import Iterable
from typing import Final

_MOST: Final = 10_000
"""Tokens that are remembered."""

_HEADER: Final = b"x-auth-token"

Headers = Iterable[tuple[bytes, bytes]]


class KnownCallers:
    """Remembers the projects of tokens. Used in the event loop only.

    What it says decides about nothing but the line in which a request waits: whether the token is
    still good is asked later. Tokens themselves are not kept.
    """

    def __init__(self) -> None:
        self._projects: OrderedDict[int, str] = OrderedDict()

    def learn(self, headers: Headers, project: str) -> None:
        """Note that a request with these headers was let in, in a project."""
        token = _token(headers)
        if not token or not project:
            return
        self._projects[token] = project
        self._projects.move_to_end(token)
        if len(self._projects) > _MOST:
            self._projects.popitem(last=False)

    def project_of(self, headers: Headers) -> str:
        """Return whose a request with these headers is; empty if its token was not seen before."""
        return self._projects.get(_token(headers), "")


def _token(headers: Headers) -> int:
    """Return a number that stands for the token in this process; 0 if there is none."""
    for name, value in headers:
        if name == _HEADER:
            return hash(value)
    return 0
