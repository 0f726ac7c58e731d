"""What was applied to a resource is read as it was written, by this version and by earlier ones."""

import json
from dataclasses import replace

import pytest

from hotplate.model import NOT_APPLIED, Action, Definition, EarlierFailure
from hotplate.secret import secret

PLAIN = Definition("T", "K", {"a": [1, None]}, {"m": 1}, "Retain", {"u": {}}, ("b", "a"))


@pytest.mark.parametrize(
    "definition",
    [
        NOT_APPLIED,
        PLAIN,
        replace(PLAIN, child_digest="digest", sent="other digest"),
        replace(PLAIN, properties={}, external_id="x"),
        replace(PLAIN, failed=EarlierFailure(Action.UPDATE, "no quota")),
        replace(NOT_APPLIED, type="T", failed=EarlierFailure(Action.CREATE, "bad value")),
    ],
)
def test_a_definition_is_read_as_it_was_written(definition: Definition) -> None:
    assert definition.as_text() == json.dumps(definition.as_data())
    data = json.loads(definition.as_text())
    assert Definition.from_data(definition.type, data) == definition
    assert definition.as_text() is definition.as_text(), "it is written once"


def test_what_is_stored_has_the_keys_that_it_always_had() -> None:
    always = ["kind", "child", "properties", "metadata", "deletion_policy", "update_policy"]
    assert NOT_APPLIED.as_data() == {}
    assert list(PLAIN.as_data()) == [*always, "depends_on"]
    failed = replace(PLAIN, failed=EarlierFailure(Action.UPDATE, "no quota"), sent="s")
    assert failed.as_data() == {**PLAIN.as_data(), "sent": "s", "failed": ["UPDATE", "no quota"]}


def test_the_first_databases_did_not_name_the_kind() -> None:
    found = Definition.from_data("T", {"properties": {"a": 1}, "depends_on": ["b"]})
    assert (found.type_name, found.properties, found.depends_on) == ("T", {"a": 1}, ("b",))


def test_a_fingerprint_follows_every_change() -> None:
    first = PLAIN.fingerprint()
    assert first == replace(PLAIN).fingerprint()
    # It is stored and compared across releases: it stays what it has always been.
    assert first == "1b41b8bbeb28adc7e8abd941942e1413d9d0f878ec9c09ea9d64643ab77a6213"
    others = [replace(PLAIN, metadata={}), PLAIN.with_nested_changes(), replace(PLAIN, type="U")]
    assert len({first, *(each.fingerprint() for each in others)}) == 4


def test_a_stored_definition_remembers_which_values_are_secret() -> None:
    properties = {"password": secret("p"), "items": ["a", secret(4711)], "name": "n"}
    wanted = Definition("T", "T", properties, {"m": secret("in metadata")}, "Delete", {}, ())
    stored = json.loads(json.dumps(wanted.as_data()))
    back = Definition.from_data("T", stored)
    assert back == wanted
    assert back.secret_paths() == wanted.secret_paths() == [
        ["properties", "password"], ["properties", "items", 1], ["metadata", "m"],
    ]  # fmt: skip
    assert back.secrets().texts == {"p", "4711", "in metadata"}
    assert back.fingerprint() == wanted.fingerprint()
    assert "4711" not in repr(back)


def test_a_definition_without_secrets_is_stored_as_before() -> None:
    wanted = Definition("T", "T", {"name": "n"}, {}, "Delete", {}, ())
    assert "secrets" not in wanted.as_data()
    assert not wanted.secrets()
