"""What is sent as JSON keeps the lines of the user's file."""

import json

import pytest

from hotplate.client.lined_json import lined_json
from hotplate.document import Path, parse

TEXT = """\
# A comment.
first: &one
  list:
  - a
  - {b: 1,
     c: two}

second: {x: [1, 2], "key with \\" sign": null}
third:
  <<: *one
  more: |
    two
    lines
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("first",), 2),
        (("first", "list"), 3),
        (("first", "list", 0), 4),
        (("first", "list", 1, "c"), 6),
        (("second", "x", 1), 8),
        (("third",), 9),
        (("third", "more"), 11),
    ],
)
def test_everything_stands_in_its_line(path: Path, line: int) -> None:
    document = parse(TEXT, "mine.yaml")
    sent = parse(lined_json(document, document.data), "sent")
    place = sent.locate(path)
    assert place is not None
    assert place.line == line


def test_it_says_the_same() -> None:
    document = parse(TEXT, "mine.yaml")
    assert json.loads(lined_json(document, document.data)) == document.data
    assert isinstance(document.data, dict)
    changed = {**document.data, "second": {"x": ["file:///a", 2]}}
    assert json.loads(lined_json(document, changed)) == changed


def test_one_line_stays_one() -> None:
    document = parse("{a: 1}", "mine.yaml")
    assert lined_json(document, document.data) == '{"a": 1}'
