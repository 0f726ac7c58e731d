"""Stars in place of secrets, in values and in texts that repeat one."""

import base64
import json
from typing import Any
from urllib.parse import quote, quote_plus

import pytest

from hotplate.secret import STARS, Secrets, SecretText, secret, secret_paths, shown

SECRETS = Secrets(("abcdef", "4711", "abc"))
ODD = 'it\'s "ümläut" & 100%\n/+?'


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        ("abcdef", STARS),
        ("before abcdef after", f"before {STARS} after"),
        ("abc", STARS),
        # A short secret inside a text would be found everywhere.
        ("abc and more", "abc and more"),
        (4711, STARS),
        (4712, 4712),
        (True, True),
        (None, None),
        ({"a": ["abcdef", {"b": 4711}]}, {"a": [STARS, {"b": STARS}]}),
        ({"abcdef": 1}, {STARS: 1}),
        (SecretText("unknown"), STARS),
        ([secret(1), secret({"a": 0.5})], [STARS, {"a": STARS}]),
    ],
)
def test_stars_stand_where_a_secret_stood(value: Any, seen: Any) -> None:
    assert SECRETS.masked(value) == seen


def test_what_is_typed_as_a_secret_is_never_shown() -> None:
    assert shown({"a": secret("x"), "b": "y"}) == {"a": STARS, "b": "y"}


@pytest.mark.parametrize(
    "written",
    [
        ODD,
        json.dumps(ODD)[1:-1],
        json.dumps(ODD, ensure_ascii=False)[1:-1],
        repr(ODD)[1:-1],
        quote(ODD),
        quote(ODD, safe=""),
        quote_plus(ODD),
        base64.b64encode(ODD.encode()).decode(),
        base64.urlsafe_b64encode(ODD.encode()).decode(),
    ],
)
def test_a_secret_is_found_in_whatever_form_a_text_repeats_it(written: str) -> None:
    assert Secrets((ODD,)).text(f"refused: {written}").rstrip("=") == f"refused: {STARS}"


def test_a_long_secret_that_is_cut_off_is_found() -> None:
    long = "".join(chr(ord("a") + number % 26) for number in range(200))
    assert Secrets((long,)).text(f"bad: {long[:60]}… or {long[:16]}") == f"bad: {STARS}… or {STARS}"


def test_of_secrets_inside_each_other_nothing_is_left() -> None:
    assert Secrets(("word", "a word more")).text("a word more, word") == f"{STARS}, {STARS}"


def test_words_that_tell_nothing_are_no_secrets() -> None:
    assert not Secrets(("", "null", "None", "true", "False", STARS, "{}"))
    assert Secrets().text("null") == "null"


def test_secrets_print_nothing() -> None:
    assert "abc" not in f"{SECRETS} {SECRETS!r}"


def test_what_repeats_a_secret_is_typed_as_one() -> None:
    value = {"a": "abcdef", "b": ["x abcdef", 4711, "abc", "abcd"], "c": 4711.5, "d": None}
    typed = SECRETS.typed(value)
    assert typed == value
    assert secret_paths(typed) == [["a"], ["b", 0], ["b", 1], ["b", 2]]
    assert Secrets().typed(value) is value


def test_secrets_are_collected_from_values() -> None:
    value = {"a": secret("one"), SecretText("two"): "no", "b": [secret(3)]}
    assert Secrets.inside(value, secret("four")).texts == {"one", "two", "3", "four"}
    assert Secrets.all_of({"key": ["a", 1, True, None]}).texts == {"a", "1"}


def test_secrets_are_joined() -> None:
    assert (Secrets(("a",)) | Secrets(("b",))).texts == {"a", "b"}
    assert (SECRETS | Secrets()) is SECRETS
    assert (Secrets() | SECRETS) is SECRETS


def test_those_within_a_text_are_told() -> None:
    assert SECRETS.within("x abcdef y").texts == {"abcdef", "abc"}
