"""Tokens: what a message carries, and how much of a stack is on its way at a time."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

TOKEN_SIZE = 16
"""Nodes of one stack that a message names."""

WINDOW = 256
"""Nodes of one stack that are sent at a time, so that others have their turn between them."""


class NotAToken(ValueError):
    """A message that no worker understands."""


@dataclass(frozen=True, slots=True)
class Token:
    """Nodes of one stack that are ready."""

    nodes: tuple[int, ...]
    after: int | None = None
    """The last node that was sent with this one, if more of the stack are ready. Whoever claims
    the nodes of this token sends those that follow."""

    until: int | None = None
    """The last node of those; beyond it others are told of by tokens of their own. None if all that
    follow are meant."""

    @property
    def stack(self) -> int:
        """The number of the stack."""
        return self.nodes[0] >> 32

    def encoded(self) -> bytes:
        """Return the body of a message."""
        data: dict[str, object] = {"nodes": self.nodes}
        if self.after is not None:
            data["after"] = self.after
        if self.until is not None:
            data["until"] = self.until
        return json.dumps(data, separators=(",", ":")).encode("ascii")

    @classmethod
    def decoded(cls, body: bytes) -> "Token":
        """Return the token of a message. Raises NotAToken."""
        try:
            data = json.loads(body)
            nodes = tuple(data["nodes"])
            after, until = data.get("after"), data.get("until")
        except (ValueError, KeyError, TypeError, AttributeError):
            raise NotAToken("a message is not a token") from None
        if not nodes or not all(type(each) is int for each in (*nodes, after or 0, until or 0)):
            raise NotAToken("a token names nodes by their numbers")
        return cls(nodes, after, until)


def tokens_of(node_ids: Iterable[int], window: int = WINDOW, are_all: bool = True) -> list[Token]:
    """Return the tokens to send for ready nodes: of each stack no more than a window.

    A stack of which more are ready has one token in the middle of its window that continues it:
    the next window is on its way before this one is used up. It does so up to the last of these
    nodes, or with all that follow unless these ``are_all``. Stacks take turns in the result.
    """
    by_stack: dict[int, list[int]] = {}
    for node_id in dict.fromkeys(node_ids):
        by_stack.setdefault(node_id >> 32, []).append(node_id)
    rows = []
    for ids in map(sorted, by_stack.values()):
        until = ids[-1] if are_all else None
        rows.append(_window(ids[:window], len(ids) > window, until))
    longest = max(map(len, rows), default=0)
    return [row[at] for at in range(longest) for row in rows if at < len(row)]


def following(
    node_ids: Sequence[int], until: int | None = None, window: int = WINDOW
) -> list[Token]:
    """Return the tokens of the next window of a stack, up to a node if one is given.

    A full window is taken to have a successor.
    """
    ids = [each for each in node_ids if until is None or each <= until]
    return _window(ids, len(ids) >= window, until)


def _window(ids: list[int], is_continued: bool, until: int | None) -> list[Token]:
    starts = range(0, len(ids), TOKEN_SIZE)
    middle = len(starts) // 2
    return [
        Token(tuple(ids[start : start + TOKEN_SIZE]), ids[-1], until)
        if is_continued and at == middle
        else Token(tuple(ids[start : start + TOKEN_SIZE]))
        for at, start in enumerate(starts)
    ]
