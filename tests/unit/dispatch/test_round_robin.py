"""What waits for a slot: stacks leave room for others, and so do projects."""

from hotplate.dispatch.round_robin import RoundRobin, Turn
from hotplate.dispatch.tokens import TOKEN_SIZE, WINDOW, Token, following, tokens_of


def nodes(stack: int, count: int, first: int = 0) -> list[int]:
    return [(stack << 32) + number for number in range(first, first + count)]


def add(turns: RoundRobin[Token], tokens: list[Token]) -> None:
    for token in tokens:
        turns.add(token.stack, token)


def begun(turns: RoundRobin[Token]) -> list[Turn[Token]]:
    """Take in hand whatever gets a slot."""
    found = []
    while (turn := turns.take()) is not None:
        found.append(turn)
    return found


def learn(turns: RoundRobin[Token], project: str) -> None:
    """Answer the question that the turns have."""
    unknown = turns.unknown()
    assert unknown
    turns.learn(unknown, dict.fromkeys(unknown, project))


def test_a_small_stack_overtakes_the_windows_of_a_large_one() -> None:
    """Windows follow each other as fast as they are claimed, so they fill all they are given."""
    turns: RoundRobin[Token] = RoundRobin(64)
    ready = nodes(1, 20_000)
    turns.learn([1, 2], {1: "large", 2: "small"})
    tokens, sent, in_hand = tokens_of(ready), 0, 0
    while tokens:
        add(turns, tokens)
        sent += sum(len(token.nodes) for token in tokens)
        now = begun(turns)
        in_hand += len(now)
        # Whoever claims the token in the middle sends the next window.
        goes_on = any(turn.items[0].after is not None for turn in now)
        tokens = following(ready[sent : sent + WINDOW]) if goes_on else []
    assert in_hand == 48
    assert sent <= 48 * TOKEN_SIZE + WINDOW
    add(turns, tokens_of(nodes(2, 10)))
    assert [turn.stack for turn in begun(turns)] == [2]


def test_stacks_take_turns() -> None:
    turns: RoundRobin[Token] = RoundRobin(4)
    turns.learn([1, 2], dict.fromkeys([1, 2], "project"))
    add(turns, [Token((each,)) for each in (*nodes(1, 4), *nodes(2, 2))])
    found = begun(turns)
    assert [turn.stack for turn in found] == [1, 2, 1, 2]
    turns.end(found[1])
    assert [turn.stack for turn in begun(turns)] == [1]


def test_a_project_with_a_thousand_stacks_leaves_the_next_turn_to_another() -> None:
    turns: RoundRobin[Token] = RoundRobin(64)
    add(turns, [Token((node,)) for stack in range(1, 1001) for node in nodes(stack, 1)])
    learn(turns, "large")
    found = begun(turns)
    assert len(found) == 56
    add(turns, [Token((node,)) for stack in range(2000, 2020) for node in nodes(stack, 1)])
    learn(turns, "small")
    assert [turn.stack for turn in begun(turns)] == [*range(2000, 2008)]
    # Both have many in hand now: what becomes free goes to them in turn.
    for turn in found[:8]:
        turns.end(turn)
    assert begun(turns) == []
    for turn in found[8:16]:
        turns.end(turn)
    assert [turn.project for turn in begun(turns)] == ["large", "small"] * 4


def test_nobody_asks_whose_a_stack_is_while_there_are_slots_for_all() -> None:
    turns: RoundRobin[Token] = RoundRobin(64)
    add(turns, [Token((node,)) for stack in range(32) for node in nodes(stack, 1)])
    assert turns.unknown() == []
    add(turns, [Token((each,)) for each in nodes(32, 1)])
    assert turns.unknown() == list(range(33))


def test_a_stack_that_is_not_to_be_found_is_asked_for_once() -> None:
    turns: RoundRobin[Token] = RoundRobin(1)
    add(turns, [Token((each,)) for each in nodes(7, 1)])
    assert turns.unknown() == [7]
    turns.learn([7], {})
    assert turns.unknown() == []
    assert [turn.stack for turn in begun(turns)] == [7]


def test_a_slot_goes_back_to_whom_it_was_counted_for() -> None:
    turns: RoundRobin[Token] = RoundRobin(8)
    add(turns, [Token((node,)) for stack in range(20) for node in nodes(stack, 1)])
    unknown = begun(turns)
    assert len(unknown) == 4  # no more before it is known whose the others are
    learn(turns, "project")
    for turn in unknown:
        turns.end(turn)
    assert len(begun(turns)) == 8


def test_what_was_not_begun_can_be_given_back() -> None:
    turns: RoundRobin[Token] = RoundRobin(1)
    add(turns, [Token((each,)) for each in nodes(1, 3)])
    assert len(begun(turns)) == 1
    assert [token.nodes for token in turns.give_up()] == [(each,) for each in nodes(1, 3)[1:]]
    assert turns.give_up() == []
