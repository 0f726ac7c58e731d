"""Messages of a large stack leave slots to those of others, which came later."""

from typing import Any

from hotplate.dispatch.amqp.arrivals import Arrivals
from hotplate.dispatch.tokens import TOKEN_SIZE, WINDOW, Token, following, tokens_of

MESSAGE: Any = None


def nodes(stack: int, count: int, first: int = 0) -> list[int]:
    return [(stack << 32) + number for number in range(first, first + count)]


def add(arrivals: Arrivals, tokens: list[Token]) -> None:
    for token in tokens:
        arrivals.add(MESSAGE, token)


def begun(arrivals: Arrivals) -> list[Token]:
    """Take in hand whatever gets a slot."""
    found = []
    while (arrival := arrivals.next()) is not None:
        found.append(arrival[1])
    return found


def test_a_small_stack_overtakes_the_windows_of_a_large_one() -> None:
    """Windows follow each other as fast as they are claimed, so they fill all they are given."""
    arrivals, ready = Arrivals(64), nodes(1, 20_000)
    tokens, sent = tokens_of(ready), 0
    in_hand: list[Token] = []
    while tokens:
        add(arrivals, tokens)
        sent += sum(len(token.nodes) for token in tokens)
        now = begun(arrivals)
        in_hand += now
        # Whoever claims the token in the middle sends the next window.
        goes_on = any(token.after is not None for token in now)
        tokens = following(ready[sent : sent + WINDOW]) if goes_on else []
    assert len(in_hand) == 48
    assert sent <= 48 * TOKEN_SIZE + WINDOW
    add(arrivals, tokens_of(nodes(2, 10)))
    assert [token.stack for token in begun(arrivals)] == [2]


def test_stacks_take_turns() -> None:
    arrivals = Arrivals(4)
    add(arrivals, [Token((each,)) for each in (*nodes(1, 4), *nodes(2, 2))])
    assert [token.stack for token in begun(arrivals)] == [1, 2, 1, 2]
    arrivals.end(Token((nodes(2, 1)[0],)))
    assert [token.stack for token in begun(arrivals)] == [1]


def test_what_was_not_begun_can_be_given_back() -> None:
    arrivals = Arrivals(1)
    add(arrivals, [Token((each,)) for each in nodes(1, 3)])
    assert len(begun(arrivals)) == 1
    assert [token.nodes for _, token in arrivals.give_up()] == [(each,) for each in nodes(1, 3)[1:]]
    assert arrivals.give_up() == []
