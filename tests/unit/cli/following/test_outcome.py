"""Exit codes of operations."""

import pytest

from hotplate.cli.following.follow import Ended
from hotplate.cli.following.outcome import code_of
from hotplate.cli.output.exit_codes import Code
from hotplate.cli.view.failures import own_words


@pytest.mark.parametrize(
    ("state", "reason", "asked", "code"),
    [
        ("CREATE_COMPLETE", "Stack CREATE completed successfully", "CREATE", Code.DONE),
        ("CREATE_FAILED", "Resource CREATE failed: ValueError: resources.a: no", "CREATE", 1),
        ("UPDATE_FAILED", "Timed out", "UPDATE", Code.TIMED_OUT),
        ("UPDATE_FAILED", "Resource UPDATE failed: E: resources.a: it timed out", "UPDATE", 1),
        ("ROLLBACK_COMPLETE", "Stack ROLLBACK completed successfully", "UPDATE", Code.FAILED),
        ("ROLLBACK_COMPLETE", "Stack ROLLBACK completed successfully", "ROLLBACK", Code.DONE),
        ("ROLLBACK_COMPLETE", "Stack ROLLBACK completed successfully", "", Code.DONE),
        ("DELETE_COMPLETE", "", "DELETE", Code.DONE),
        ("DELETE_COMPLETE", "", "CREATE", Code.FAILED),
        ("UPDATE_COMPLETE", "", "CREATE", Code.DONE),
        ("ROLLBACK_COMPLETE", "Stack ROLLBACK completed successfully", "CANCEL", Code.DONE),
        ("ROLLBACK_FAILED", "Resource ROLLBACK failed: E: resources.a: no", "CANCEL", Code.FAILED),
        ("UPDATE_FAILED", "Stack UPDATE cancelled", "CANCEL", Code.DONE),
        ("CREATE_FAILED", "Stack CREATE cancelled", "CANCEL", Code.DONE),
        ("UPDATE_FAILED", "Stack UPDATE cancelled", "UPDATE", Code.FAILED),
        ("UPDATE_COMPLETE", "Stack UPDATE completed successfully", "CANCEL", Code.FAILED),
    ],
)
def test_the_end_has_its_code(state: str, reason: str, asked: str, code: int) -> None:
    assert code_of(Ended(state, reason, 1.0), asked) == code


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("ValueError: resources.server: no disk", "no disk"),
        (
            "Resource CREATE failed: E: resources.a.resources.b: two: words\nmore",
            "two: words\nmore",
        ),
        ("no path at all", "no path at all"),
        ("", ""),
    ],
)
def test_the_words_of_the_leaf_come_without_their_way(reason: str, words: str) -> None:
    assert own_words(reason) == words
