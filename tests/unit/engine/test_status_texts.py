"""Reasons keep their form through any number of stacks inside stacks."""

from hotplate.engine import status_texts
from hotplate.model import Action

LEAF = status_texts.failure("inner", "ValueError", "no; really: none")


def test_a_leafs_words_stay_whole_and_only_its_path_grows() -> None:
    outer = status_texts.failure_inside("outer", [LEAF])
    assert outer == "ValueError: resources.outer.resources.inner: no; really: none"
    assert (
        status_texts.resource_failed(Action.CREATE, [outer]) == f"Resource CREATE failed: {outer}"
    )
    assert status_texts.leaf_of(f"Resource CREATE failed: {outer}") == outer


def test_each_of_several_failures_inside_gets_its_path() -> None:
    other = status_texts.failure("other", "Broken", "it is")
    assert status_texts.failure_inside("outer", [LEAF, other]) == (
        "ValueError: resources.outer.resources.inner: no; really: none; "
        "Broken: resources.outer.resources.other: it is"
    )


def test_a_stack_that_no_resource_made_fail_is_told_in_its_own_words() -> None:
    assert status_texts.leaf_of("Timed out") == "Timed out"
    assert status_texts.failure_inside("outer", ["Stack CREATE cancelled"]) == (
        "ResourceFailed: resources.outer: Stack CREATE cancelled"
    )


def test_hooks_are_told_in_the_words_that_clients_look_for() -> None:
    assert status_texts.paused("pre-create") == "CREATE paused until Hook pre-create is cleared"
    assert status_texts.paused("post-delete") == "DELETE paused until Hook post-delete is cleared"
    assert status_texts.cleared("pre-update") == "Hook pre-update is cleared"
