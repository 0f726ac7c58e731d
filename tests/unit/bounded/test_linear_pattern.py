"""RE2 is given what it reads as Python does, and nothing else."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hotplate.bounded import BadPattern, Pattern
from hotplate.bounded.linear_pattern import is_plain, linear_pattern

ATOMS = st.sampled_from(
    [
        "a",
        "b",
        "1",
        ".",
        "-",
        r"\d",
        r"\w",
        r"\s",
        r"\.",
        "[a-c]",
        "[^a]",
        r"[\w.-]",
        "[ab1]",
        r"\b",
    ]
)
QUANTIFIERS = st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,2}", "{1,}", "*?", "+?", "??"])


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("|".join),
        st.tuples(st.sampled_from(["(", "(?:"]), inner, st.just(")"), QUANTIFIERS).map("".join),
    )


PATTERNS = st.recursive(st.tuples(ATOMS, QUANTIFIERS).map("".join), _grown, max_leaves=8)


@given(
    st.tuples(st.sampled_from(["", "^", "(?i)"]), PATTERNS, st.sampled_from(["", "$"])).map(
        "".join
    ),
    st.text("aAbc1. -", max_size=8),
)
@settings(max_examples=500, deadline=None)
def test_a_linear_pattern_finds_what_python_finds(pattern: str, subject: str) -> None:
    linear = linear_pattern(pattern, "")
    if linear is None:
        return
    for how in ("match", "search"):
        ours, theirs = getattr(linear, how)(subject), getattr(re, how)(pattern, subject)
        assert (ours is None) == (theirs is None)
        if theirs is not None:
            assert ours.span() == theirs.span()


@pytest.mark.parametrize(
    "text",
    [
        "(?!x)a", "(?<=a)b", r"(a)\1", "a**", "a*+", "a{,3}", "a{2,1}", "[[:alpha:]]", "[a--b]",
        "[a&&b]", r"\p{L}", r"\z", r"\Z", r"\Qa", "(?P<n>a)", "(?s).", "^*", "$+", r"\b+", "(",
        "a{1001}",
    ],
)  # fmt: skip
def test_what_may_be_read_in_another_way_is_left_to_python(text: str) -> None:
    assert linear_pattern(text, "") is None


@pytest.mark.parametrize("subject", ["é", "a\n", "\x0b", "\x1f", "\t"])
def test_a_text_on_which_they_differ_is_left_to_python(subject: str) -> None:
    assert not is_plain(subject)


@pytest.mark.parametrize(
    ("pattern", "subject"),
    [
        ("a" * 4096, "a" * 4_000_000),
        ("(?:a|aa)+$", "a" * 100_000 + "b"),
        ("(a+)+$", "a" * 100_000 + "b"),
        ("(.*)(.*)(.*)(.*)x", "a" * 100_000),
    ],
)
def test_a_linear_pattern_takes_no_time_worth_telling(pattern: str, subject: str) -> None:
    begun = time.thread_time()
    Pattern(pattern).match(subject)
    assert time.thread_time() - begun < 1


def test_a_long_pattern_that_looks_around_is_refused() -> None:
    with pytest.raises(BadPattern, match="longer than 1024 characters"):
        Pattern("(?!x)" + "a" * 1024)
