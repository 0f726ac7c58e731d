"""Twin of hotplate.graph.errors: words and family."""

import pytest

from hotplate.graph import CycleError, GraphError, UnknownNodeError


@pytest.mark.parametrize("error", [CycleError(["a", "a"]), UnknownNodeError("a", "b")])
def test_all_errors_of_graphs_can_be_caught_as_one_family(error: Exception) -> None:
    assert isinstance(error, GraphError)


@pytest.mark.parametrize("length", [16, 17])
def test_a_path_that_can_be_read_is_shown_in_full(length: int) -> None:
    path = [f"node{number}" for number in range(length)]
    assert " requires ".join(path) in str(CycleError(path))


def test_a_longer_path_leaves_out_its_middle_and_says_how_much() -> None:
    message = str(CycleError([f"node{number}" for number in range(18)]))
    assert "node7 requires (2 others) requires node10" in message
