"""Texts to begin with, and what must hold of every text that is read."""

# ruff: noqa: PT017 (no test, but what tests call: whatever is raised must explain itself)

import json
import math
import re
from typing import Any

import yaml

from hotplate.document import Document, InvalidDocument, parse

_DIFFERENT_BY_INTENTION = re.compile(r"!|\d{4}-\d\d?-\d\d?|\.nan|\.inf", re.IGNORECASE)

SEEDS = (
    "",
    "a: 1\nb: [x, y, {c: d}]\n",
    '{"a": [1, 2.5, true, null, "x\\u00e9\\ud83d\\ude00"], "b": {"c": {}}}',
    "base: &b {x: 1, y: 2}\nsub: {<<: *b, y: 3}\nlist: [*b, *b]\n",
    "many:\n  <<: [&one {a: 1}, &two {b: 2}]\n  c: 3\n",
    "text: |\n  one\n  two\nfolded: >-\n  three\n  four\n",
    "numbers: [0x1F, 0o17, 017, 0b101, 1_000, 1:30:00, 1:30.5, 1e3, 1.5e+3, -.5, +7]\n",
    "words: [yes, No, on, OFF, true, ~, null, =, <<, 2001-01-01, .nan, -.inf]\n",
    "? complex\n: value\n? [a, b]\n: value\n",
    "%YAML 1.1\n%TAG !e! tag:example.com,2000:\n---\na: !e!x b\n...\n",
    "!!map {!!str a: !!int '1', b: !!float '1.0', c: !!bool 'yes', d: !!null ''}\n",
    "'quoted': \"double \\x41 \\u0042 \\n\"\n1: number\ntrue: boolean\n~: nothing\n",
    "[[[[[[[[[[]]]]]]]]]]",
    "- - - - a\n    - b\n",
    "a: &a [*a]\n",
    "\ufeffa: b\r\nc: d\u2028e: f\n",
    "a: 1\na: 2\n",
    "a:\n\t- b\n",
    "a: @b\n",
    "--- a\n--- b\n",
)


def comparable(text: str) -> bool:
    """Whether PyYAML and we should agree on a text."""
    return not _DIFFERENT_BY_INTENTION.search(text)


def has_text_keys_only(value: Any) -> bool:
    """Whether every key of every map is a text, and every number one that JSON can carry."""
    waiting, seen = [value], 0
    while waiting:
        current = waiting.pop()
        seen += 1
        if seen > 200_000:
            return False
        if isinstance(current, dict):
            if not all(isinstance(key, str) for key in current):
                return False
            waiting.extend(current.values())
        elif isinstance(current, list):
            waiting.extend(current)
        elif isinstance(current, float):
            if not math.isfinite(current):
                return False
        elif current is not None and not isinstance(current, str | int):
            return False
    return True


def check_places(document: Document) -> None:
    """Every path of the data, and some that lead nowhere, has a place inside the text."""
    lines = len(document.text.splitlines()) + 1 if document.text else 1
    waiting: list[tuple[Any, tuple[str | int, ...]]] = [(document.data, ())]
    for _ in range(200):
        if not waiting:
            break
        value, path = waiting.pop()
        for asked in (path, (*path, "no such key"), (*path, 99)):
            place = document.locate(asked)
            assert place is not None
            assert 1 <= place.line <= lines + 1
            assert place.column >= 1
        if isinstance(value, dict):
            waiting.extend((item, (*path, key)) for key, item in list(value.items())[:20])
        elif isinstance(value, list):
            waiting.extend((item, (*path, index)) for index, item in enumerate(value[:20]))


def check_against_pyyaml(text: str, document: Document) -> None:
    """Where PyYAML reads the text too, and nothing differs by intention, the data is the same."""
    if not comparable(text):
        return
    try:
        theirs = json.loads(text)
    except (ValueError, RecursionError):
        pass
    else:
        if text.lstrip()[:1] in ("{", "[") and has_text_keys_only(theirs):
            assert _typed(theirs) == _typed(document.data), (theirs, document.data)
            return
    try:
        theirs = yaml.load(text, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError, TypeError, KeyError):
        return
    if has_text_keys_only(theirs):
        assert _typed(theirs) == _typed(document.data), (theirs, document.data)


def _typed(value: Any) -> Any:
    """Tell 1, 1.0 and true apart."""
    if isinstance(value, dict):
        return {key: _typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_typed(item) for item in value]
    return (type(value).__name__, value)


def read(data: bytes) -> None:
    """Read one text."""
    # Surrogates come in as well: a request's JSON may spell them.
    text = data.decode("utf-8", errors="surrogateescape")
    try:
        document = parse(text, "fuzz.yaml")
    except InvalidDocument as refused:
        assert refused.problems
        assert str(refused)
        return
    check_places(document)
    if len(data) < 4000 and not any(0xD800 <= ord(c) <= 0xDFFF for c in text):
        check_against_pyyaml(text, document)
