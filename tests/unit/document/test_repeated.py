"""A map in which many entries are the same is written in a few words."""

import json
import pickle
from hashlib import sha256
from typing import Any

import pytest

from hotplate.document import InvalidDocument, parse
from hotplate.document.document import parse_repeated
from hotplate.document.repeated import (
    RepeatedMap,
    count_in,
    is_repeated,
    plain_digest,
    plain_text,
    read,
    written,
)

MANY = 3_000
MEMBER = {"type": "OS::Heat::RandomString", "properties": {"salt": "ä"}}


def _template(names: list[str], **more: Any) -> dict[str, Any]:
    return {
        "heat_template_version": "wallaby",
        "resources": {**dict.fromkeys(names, MEMBER), **more},
    }


NAMES = (
    list(map(str, range(MANY))),
    [str(each) for each in range(MANY) if each not in (0, 7, 8, 2_999)],
    [f"member-{each}" for each in range(MANY)],
    ["01", "a", *map(str, range(5, MANY)), "3", "2", "1", '"ü', "٣"],
)


@pytest.mark.parametrize("names", NAMES)
def test_it_stands_for_the_json_that_would_be_written(names: list[str]) -> None:
    data = _template(names, other={"type": "OS::Heat::None"})
    text = written(data)
    assert is_repeated(text)
    assert len(text) < len(json.dumps(data)) / 2
    assert read(text) == data
    assert list(read(text)["resources"]) == list(data["resources"])
    assert plain_text(text) == json.dumps(data)
    assert plain_digest(text) == sha256(json.dumps(data).encode()).hexdigest()
    assert count_in(text) == len(names) + 1


def test_what_is_small_or_all_different_is_written_as_ever() -> None:
    small = _template(list(map(str, range(10))))
    different = {"resources": {str(each): {"type": f"T{each}"} for each in range(MANY)}}
    for data in ({}, {"a": 1}, small, different):
        assert written(data) == json.dumps(data)
        assert plain_text(written(data)) == json.dumps(data)
        assert count_in(written(data)) == 0


def test_what_would_be_too_large_is_written_in_full_and_refused() -> None:
    member = {"type": "T" * 10_000}
    data = {"resources": dict.fromkeys(map(str, range(MANY)), member)}
    assert not is_repeated(written(data))
    with pytest.raises(InvalidDocument, match="larger than"):
        parse(written(data), "template")


def test_nobody_else_can_write_such_a_text() -> None:
    with pytest.raises(InvalidDocument):
        parse(written(_template(NAMES[0])), "template")


def test_what_is_repeated_keeps_to_the_limits() -> None:
    deep: Any = "x"
    for _ in range(250):
        deep = [deep]
    with pytest.raises(InvalidDocument, match="nested deeper"):
        parse_repeated(written({"resources": dict.fromkeys(map(str, range(MANY)), deep)}), "t")


def test_a_document_is_sent_as_its_text() -> None:
    data = _template(NAMES[0])
    document = parse_repeated(written(data), "template")
    sent = pickle.dumps(document)
    assert len(sent) < 1_000
    received = pickle.loads(sent)
    assert received.data == data
    assert received.locate(("resources", "7")) is not None
    assert isinstance(pickle.loads(pickle.dumps(received.data["resources"])), RepeatedMap)
