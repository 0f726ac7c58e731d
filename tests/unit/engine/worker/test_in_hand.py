"""What a worker has in hand, and what it is about to have."""

import pytest

from hotplate.engine.worker.in_hand import InHand


def test_a_node_in_two_tokens_is_in_hand_until_both_have_ended() -> None:
    in_hand = InHand()
    with in_hand.holding([1, 2]):
        with in_hand.holding([2, 3]):
            assert [each in in_hand for each in (1, 2, 3, 4)] == [True, True, True, False]
            assert len(in_hand) == 3
        assert [each in in_hand for each in (1, 2, 3)] == [True, True, False]
    assert len(in_hand) == 0
    assert 2 not in in_hand


def test_it_is_told_that_something_was_let_go_also_after_an_error() -> None:
    in_hand = InHand()

    def work() -> None:
        with in_hand.holding([1]):
            assert not in_hand.let_go.is_set()
            raise LookupError

    with pytest.raises(LookupError):
        work()
    assert in_hand.let_go.is_set()
    assert 1 not in in_hand


def test_what_a_transaction_is_about_to_claim_is_kept_until_it_is_held() -> None:
    in_hand = InHand()
    in_hand.claiming([1, 2])
    assert 1 in in_hand
    assert len(in_hand) == 0  # nothing is worked on yet
    in_hand.hold([1])
    in_hand.claimed()
    assert 1 in in_hand
    assert 2 not in in_hand  # it was not claimed after all
    in_hand.release([1])
    assert 1 not in in_hand
