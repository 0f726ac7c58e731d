import pytest

from hotplate.dispatch.tokens import TOKEN_SIZE, WINDOW, NotAToken, Token, following, tokens_of


def nodes(stack: int, count: int) -> list[int]:
    return [(stack << 32) + number for number in range(count)]


def test_a_token_survives_its_way_through_a_message() -> None:
    for token in (Token((1, 2)), Token((7,), after=9), Token((7,), after=9, until=12)):
        assert Token.decoded(token.encoded()) == token


@pytest.mark.parametrize(
    "body", [b"", b"\xff", b"[]", b"{}", b'{"nodes": []}', b'{"nodes": ["a"]}', b'{"nodes": 1}']
)
def test_what_is_not_a_token_is_refused(body: bytes) -> None:
    with pytest.raises(NotAToken):
        Token.decoded(body)


def test_a_token_names_nodes_of_one_stack_and_not_too_many() -> None:
    found = tokens_of([*nodes(1, 20), *nodes(2, 3), *nodes(1, 20)])
    assert [len(each.nodes) for each in found] == [TOKEN_SIZE, 3, 4]
    assert all(len({node >> 32 for node in each.nodes}) == 1 for each in found)
    assert all(each.after is None for each in found)


def test_of_a_large_stack_a_window_is_sent_and_one_token_continues_it() -> None:
    found = tokens_of(nodes(1, 10_000))
    assert [node for each in found for node in each.nodes] == nodes(1, WINDOW)
    (continues,) = (at for at, each in enumerate(found) if each.after is not None)
    assert found[continues].after == nodes(1, WINDOW)[-1]
    assert 0 < continues < len(found) - 1


def test_a_small_stack_does_not_stand_behind_the_window_of_a_large_one() -> None:
    found = tokens_of([*nodes(1, 10_000), *nodes(2, 2)])
    assert found[1].nodes == tuple(nodes(2, 2))


def test_windows_follow_each_other_to_the_end_of_the_stack() -> None:
    ready, sent = nodes(1, 1000), []
    tokens = tokens_of(ready)
    while tokens:
        sent += [node for each in tokens for node in each.nodes]
        after = next((each.after for each in tokens if each.after is not None), None)
        if after is None:
            break
        tokens = following([node for node in ready if node > after][:WINDOW])
    assert sent == ready


def test_what_is_told_of_at_different_times_is_sent_once() -> None:
    """Each time a stack is continued up to the last node that was told of, and no further."""
    ready = nodes(1, 1500)
    sent: list[int] = []
    waiting = [*tokens_of(ready[:500]), *tokens_of(ready[500:1000]), *tokens_of(ready[1000:])]
    while waiting:
        token = waiting.pop(0)
        sent += token.nodes
        if token.after is not None:
            found = [node for node in ready if node > token.after][:WINDOW]
            waiting += following(found, token.until)
    assert sorted(sent) == ready


def test_a_stack_of_which_only_the_first_are_known_is_continued_with_all() -> None:
    ready = nodes(1, 1500)
    tokens = tokens_of(ready[: WINDOW + 1], are_all=False)
    assert {token.until for token in tokens} == {None}
    assert [token.after for token in tokens if token.after is not None] == [ready[WINDOW - 1]]
