"""Schemas of answers, made of small parts."""

import pytest
from jsonschema_rs import is_valid, meta

from hotplate.api.http.shapes import FAULT, TIME, choice, listed, mapped, maybe, record, text
from hotplate.api.openapi import COMPONENTS


def test_a_record_needs_what_it_always_has_and_may_have_more() -> None:
    schema = record({"a": text()}, {"b": listed(text())})
    assert is_valid(schema, {"a": "x", "b": ["y"], "c": 1})
    for wrong in ({}, {"a": 1}, {"a": "x", "b": "y"}):
        assert not is_valid(schema, wrong)


def test_maps_choices_and_nulls() -> None:
    schema = mapped(maybe(choice("a", "b")))
    assert is_valid(schema, {"k": None, "l": "a"})
    assert not is_valid(schema, {"k": "c"})


def test_a_time_has_no_fraction_and_ends_in_z() -> None:
    assert is_valid(TIME, "2026-11-16T00:00:00Z")
    for wrong in ("2026-11-16T00:00:00", "2026-11-16T00:00:00.5Z", "2026-11-16 00:00:00Z"):
        assert not is_valid(TIME, wrong)


@pytest.mark.parametrize("name", ["Fault", *COMPONENTS])
def test_every_named_schema_is_one(name: str) -> None:
    assert meta.is_valid({"Fault": FAULT, **COMPONENTS}[name])
