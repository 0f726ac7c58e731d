"""Query parameters and fields of bodies: how they are read, refused and described."""

from typing import Any

import pytest

from hotplate.api.http.faults import Fault
from hotplate.api.http.fields import (
    MAX_DEPTH,
    Body,
    Field,
    Kind,
    Query,
    QueryKind,
    kind_of,
    read_query,
)


@pytest.mark.parametrize(
    ("kind", "given", "value"),
    [
        (QueryKind.TEXT, ["a", "b"], "a"),
        (QueryKind.TEXT, [""], None),
        (QueryKind.TEXT, ["", "b"], "b"),
        (QueryKind.FLAG, ["True"], True),
        (QueryKind.FLAG, ["FALSE"], False),
        (QueryKind.COUNT, ["0"], 0),
        (QueryKind.COUNT, ["9" * 18], 10**18 - 1),
        (QueryKind.WORDS, ["b", "a", "b", ""], ("b", "a")),
        (QueryKind.LISTED, ["a, b,,a"], ("a", "b")),
        (QueryKind.DEPTH, ["3"], 3),
        (QueryKind.DEPTH, ["mAx"], MAX_DEPTH),
        (QueryKind.DEPTH, [], None),
    ],
)
def test_values_of_parameters(kind: QueryKind, given: list[str], value: Any) -> None:
    assert Query("p", kind).read(given) == value


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (QueryKind.FLAG, "yes"),
        (QueryKind.COUNT, "-1"),
        (QueryKind.COUNT, "1_0"),
        (QueryKind.COUNT, "٣"),
        (QueryKind.COUNT, " 1"),
        (QueryKind.COUNT, "9" * 19),
        (QueryKind.COUNT, "max"),
        (QueryKind.DEPTH, "all"),
    ],
)
def test_values_that_cannot_be_name_the_parameter(kind: QueryKind, given: str) -> None:
    with pytest.raises(Fault, match='"p"') as refusal:
        Query("p", kind).read([given])
    assert refusal.value.status == 400


def test_a_choice_lists_what_can_be_chosen() -> None:
    with pytest.raises(Fault, match="acceptable values are: asc, desc"):
        Query("p", choices=("asc", "desc")).read(["up"])


def test_unknown_parameters_are_refused_by_those_that_are_strict_about_them() -> None:
    declared = (Query("known", aliases=("also-known",)),)
    given = {"also-known": ["x"], "other": ["y"]}
    assert read_query(declared, given, strict=False) == {"known": "x"}
    with pytest.raises(Fault, match=r"Invalid filter parameters \['other'\]"):
        read_query(declared, given, strict=True)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, Kind.NULL),
        (True, Kind.FLAG),
        (1, Kind.COUNT),
        ("", Kind.TEXT),
        ({}, Kind.MAP),
        ([], Kind.LIST),
        (1.5, None),
    ],
)
def test_the_kind_of_a_value(value: Any, kind: Kind | None) -> None:
    assert kind_of(value) is kind


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        (Field("f"), 5, 'the field "f" must be a text'),
        (Field("f", (Kind.MAP, Kind.TEXT)), [], 'the field "f" must be a map or a text'),
        (Field("f", (Kind.COUNT,)), True, "must be a whole number"),
        (Field("f", (Kind.COUNT,), most=9), 10, "between 0 and 9"),
        (Field("f", (Kind.COUNT,)), -1, "between 0 and"),
        (Field("f", longest=2), "abc", "longer than 2"),
        (Field("f", (Kind.LIST,), items=(Kind.TEXT,)), ["a", 5], 'the value "1" in the field "f"'),
        (Field("f", (Kind.MAP,), items=(Kind.TEXT,)), {"k": None}, 'the value "k" in the'),
    ],
)
def test_a_field_refuses_what_does_not_fit(field: Field, value: Any, words: str) -> None:
    with pytest.raises(Fault) as refusal:
        field.check(value)
    assert words in refusal.value.message


def test_null_counts_as_absent() -> None:
    Field("f", (Kind.COUNT,)).check(None)
    with pytest.raises(Fault, match='"f" is missing'):
        Body((Field("f", required=True),)).check({"f": None})


def test_bodies_are_needed_or_not_open_or_closed() -> None:
    assert Body(required=False).check(None) == {}
    assert Body().check({"any": 1}) == {"any": 1}
    with pytest.raises(Fault, match="needs a body"):
        Body().check(None)
    with pytest.raises(Fault, match="Unexpected arguments: a, b"):
        Body(closed=True).check({"b": 1, "a": 1})


def test_a_field_describes_itself() -> None:
    schema = Field("f", (Kind.LIST, Kind.COUNT), "Why.", items=(Kind.TEXT,), most=5).schema()
    assert schema["type"] == ["array", "integer", "null"]
    assert schema["items"] == {"type": ["string"]}
    assert (schema["minimum"], schema["maximum"]) == (0, 5)
    assert schema["description"] == "Why."
