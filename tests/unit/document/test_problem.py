"""A problem says where, what, and what to do."""

from hotplate.document import InvalidDocument, Position, Problem, format_path, place_data


def test_a_problem_reads_place_path_message_hint() -> None:
    problem = Problem("is odd", ("a", 0), "make it even", Position("t.yaml", 3, 5))
    assert str(problem) == "t.yaml:3:5: a.0: is odd; make it even"


def test_what_is_not_known_is_left_out() -> None:
    assert str(Problem("is odd")) == "is odd"
    assert str(Problem("is odd", file="t.yaml")) == "t.yaml: is odd"


def test_the_sentence_has_no_place() -> None:
    assert Problem("is odd", ("a",), "make it even", file="t").sentence == "is odd; make it even"


def test_a_path_is_written_with_dots() -> None:
    assert format_path(("resources", "web", "networks", 0)) == "resources.web.networks.0"


def test_a_refusal_lists_all_problems() -> None:
    refusal = InvalidDocument(iter([Problem("one"), Problem("two")]))
    assert [problem.message for problem in refusal.problems] == ["one", "two"]
    assert str(refusal) == "one\ntwo"


def test_a_place_is_that_of_the_position_or_the_file_alone() -> None:
    position = Position("web.yaml", 3, 7)
    assert place_data("other", position) == {"file": "web.yaml", "line": 3, "column": 7}
    assert place_data("web.yaml", None) == {"file": "web.yaml", "line": None, "column": None}
