"""The type of a secret: what prints it prints stars, what computes with it gets the value."""

import copy
import json
import logging
import pickle
from dataclasses import dataclass
from typing import Any

import pytest

from hotplate.document import same
from hotplate.secret import (
    STARS,
    SecretFloat,
    SecretInt,
    SecretText,
    holds_secret,
    is_secret,
    plain,
    secret,
    secret_at,
    secret_paths,
)

VALUES: list[Any] = ["hunter2", 4711, 0.25]


@pytest.mark.parametrize("value", VALUES)
def test_a_secret_prints_as_stars(value: Any) -> None:
    hidden = secret(value)
    assert repr(hidden) == f"{hidden}" == f"{hidden!r}" == format(hidden, ">9") == STARS
    assert repr({"a": [hidden]}) == f"{{'a': [{STARS}]}}"


@pytest.mark.parametrize("value", VALUES)
def test_for_whoever_computes_it_is_the_value(value: Any) -> None:
    hidden = secret(value)
    assert hidden == value
    assert hash(hidden) == hash(value)
    assert same(hidden, hidden)
    assert str(hidden) == str(value)
    assert json.dumps({"a": hidden}) == json.dumps({"a": value})


@pytest.mark.parametrize("value", VALUES)
def test_it_is_the_same_in_another_process(value: Any) -> None:
    for other in (pickle.loads(pickle.dumps(secret(value))), copy.deepcopy(secret(value))):
        assert is_secret(other)
        assert other == value


def test_it_enters_no_dataclass_that_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    @dataclass
    class Facts:
        password: str

    logging.getLogger("test").error("%s and %r", Facts(secret("hunter2")), [secret("hunter2")])
    assert "hunter2" not in caplog.text


def test_a_map_or_a_list_is_secret_through_its_leaves() -> None:
    value = {"a": ["x", 1, 2.5, None, True, ""], "b": {"c": "y"}}
    hidden = secret(value)
    assert hidden == value
    assert [type(each) for each in hidden["a"]] == [
        SecretText, SecretInt, SecretFloat, type(None), bool, str,
    ]  # fmt: skip
    assert is_secret(hidden["b"]["c"])
    assert not is_secret(hidden)
    assert holds_secret(hidden)
    assert not holds_secret(value)


def test_the_code_of_types_gets_plain_values() -> None:
    value = {"a": ["x", 1, 2.5, None, True, ""], "b": {"c": "y"}}
    assert plain(value) is value
    back = plain(secret(value))
    assert back == value
    assert not holds_secret(back)
    assert [type(each) for each in back["a"]] == [str, int, float, type(None), bool, str]
    assert type(plain(SecretText("x"))) is str
    assert not holds_secret(plain({SecretText("key"): 1}))


def test_where_secrets_are_is_stored_beside_them() -> None:
    value = {
        "a": secret("x"),
        "b": [1, secret(2), {"c": secret("y")}],
        "d": "z",
        "e": {SecretText("k"): "v", SecretText("l"): secret(["w"])},
    }
    paths = json.loads(json.dumps(secret_paths(value)))
    stored = json.loads(json.dumps(value))
    back = secret_at(stored, paths)
    assert back == value
    assert secret_paths(back) == paths
    assert not holds_secret(stored)


def test_a_path_that_leads_nowhere_is_ignored() -> None:
    value = {"a": [1], "b": "x"}
    assert not holds_secret(secret_at(value, [["c"], ["a", 1], ["a", "b"], ["b", "c"]]))


def test_a_path_to_a_map_makes_all_in_it_secret() -> None:
    assert secret_paths(secret_at({"a": {"b": "x", "c": ["y"]}}, [["a"]])) == [
        ["a", "b"],
        ["a", "c", 0],
    ]
