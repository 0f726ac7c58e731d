"""Patterns match like Python's, and end in time and memory whatever they are."""

import pytest

from hotplate.bounded import BadPattern, Pattern, PatternTimeout

SLOW = "(?=a)(?:a|aa)+$"
SUBJECT = "a" * 60 + "b"


@pytest.mark.parametrize(
    ("pattern", "subject", "whole"),
    [
        ("[a-z]+", "abc", True),
        ("[a-z]+", "abc1", False),
        ("[a-z]+", "", False),
        ("", "", True),
        ("^a$", "a", True),
        ("a$", "a\n", False),
        ("(?i)ABC", "abc", True),
        (r"\d{1,3}(\.\d{1,3}){3}", "10.0.0.1", True),
    ],
)
def test_a_pattern_must_match_the_whole_text(pattern: str, subject: str, whole: bool) -> None:
    assert Pattern(pattern).matches_whole(subject) is whole


def test_a_search_finds_the_first_match_from_a_start() -> None:
    first = Pattern("b.").search("abcbd")
    second = Pattern("b.").search("abcbd", 2)
    assert first is not None
    assert second is not None
    assert (first.group(), second.group()) == ("bc", "bd")
    assert Pattern("x").search("abc") is None


def test_a_pattern_that_takes_too_long_is_stopped() -> None:
    with pytest.raises(PatternTimeout, match="takes too long to match"):
        Pattern(SLOW).match(SUBJECT)
    with pytest.raises(PatternTimeout, match="takes too long to match"):
        Pattern(SLOW).search(SUBJECT)


@pytest.mark.parametrize("text", ["(", "[a", "*", "a{2,1}", "(?P<n>a)(?P<n>b)(", "\\"])
def test_a_text_that_is_not_a_pattern_is_refused(text: str) -> None:
    with pytest.raises(BadPattern, match="is not a regular expression"):
        Pattern(text)


def test_a_very_long_pattern_is_refused() -> None:
    with pytest.raises(BadPattern, match="longer than 4096 characters"):
        Pattern("a" * 5000)


@pytest.mark.parametrize("text", ["a{10001}", "a{1,99999}", "a{999999}"])
def test_a_very_large_count_is_refused(text: str) -> None:
    with pytest.raises(BadPattern, match="repeats more than 10000 times"):
        Pattern(text)


@pytest.mark.parametrize(
    "text",
    [
        "((a{999}){999}){999}",
        "(?:(?:a{999}){999}){0,2}",
        "(((a{99,}){99}){99}){99}",
        "([[(]{9999}){9999}",
        r"(\({9999}){9999}",
    ],
)
def test_repeated_repetitions_that_would_fill_the_memory_are_refused(text: str) -> None:
    with pytest.raises(BadPattern, match="repeats repetitions too many times"):
        Pattern(text)


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "00000000-0000-4000-8000-000000000000"),
        ("(([0-9A-F]{2}):){5}[0-9A-F]{2}", "00:11:22:33:44:55"),
        (r"[{9999}]{2}\{9{4}\}", "99{9999}"),
        ("(a{0,999}){0,999}", "aaa"),
        (".{1000}" * 40, "x" * 40_000),
    ],
)
def test_ordinary_repetitions_are_allowed(text: str, subject: str) -> None:
    assert Pattern(text).matches_whole(subject)
