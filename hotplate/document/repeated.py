"""Text of a map in which many entries are the same: each of them is written once.

The template of a large group says one thing a hundred thousand times. As such a text it is a few
words, which are quickly written, stored, sent and read. Nobody but ourselves writes these texts:
they begin with a character that no text of YAML or JSON may have, so `parse` refuses them.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby, islice
from typing import Any, Final

from hotplate.document.limits import DEFAULT_LIMITS
from hotplate.document.names import Span, names_in, number_of, spans_of

_MARK: Final = "\x1e"

_MANY: Final = 1_000
"""Entries of a map that is worth it. A smaller one is written as ever."""

_FEWER: Final = 100
"""How many times more entries there must be than different ones that follow each other."""

_AT_ONCE: Final = 2_000
"""Entries whose text is made at once where all of them are wanted."""

_LONGEST: Final = 9
"""Digits of numbers in spans, at most."""

_BESIDE: Final = 6
"""Characters between two entries, and around a name."""


@dataclass(frozen=True, slots=True)
class Run:
    """Entries that follow each other and have the same value."""

    value: Any
    spans: tuple[Span, ...]

    @property
    def count(self) -> int:
        """How many they are."""
        return sum(1 if isinstance(each, str) else each[1] - each[0] for each in self.spans)

    def names(self) -> Iterator[str]:
        """Yield their names."""
        return names_in(self.spans)


class RepeatedMap(dict[str, Any]):
    """A map that knows its runs. It must not be changed."""

    __slots__ = ("runs",)

    def __init__(self, runs: Sequence[Run]) -> None:
        super().__init__()
        self.runs = tuple(runs)
        for run in self.runs:
            self.update(dict.fromkeys(run.names(), run.value))

    def __reduce__(self) -> Any:
        return RepeatedMap, (self.runs,)


def is_repeated(text: str) -> bool:
    """Tell whether a text is such a one."""
    return text.startswith(_MARK)


def written(data: Mapping[str, Any]) -> str:
    """Return data as text: as such a one if the last of its entries is worth it, else as JSON.

    Values that are one object are the same; equal ones need not be found to be.
    """
    last = list(data)[-1] if data else ""
    entries = data.get(last)
    if not isinstance(entries, dict) or len(entries) < _MANY:
        return json.dumps(data)
    runs = entries.runs if isinstance(entries, RepeatedMap) else _runs_of(entries)
    if len(runs) * _FEWER > len(entries) or not _fits(runs):
        return json.dumps(data)
    rest = {key: value for key, value in data.items() if key != last}
    return _MARK + json.dumps([rest, last, [[run.value, run.spans] for run in runs]])


def read(text: str) -> dict[str, Any]:
    """Return the data of such a text."""
    rest, last, runs = _parts(text)
    return {**rest, last: RepeatedMap(runs)}


def count_in(text: str) -> int:
    """Return how many entries such a text stands for; 0 for any other."""
    return sum(run.count for run in _parts(text)[2]) if is_repeated(text) else 0


def plain_text(text: str) -> str:
    """Return the JSON that such a text stands for; any other as it is."""
    return "".join(_pieces(text)) if is_repeated(text) else text


def plain_digest(text: str) -> str:
    """Return the digest of the JSON that such a text stands for, without making all of it."""
    found = sha256()
    for piece in _pieces(text):
        found.update(piece.encode())
    return found.hexdigest()


def _parts(text: str) -> tuple[dict[str, Any], str, list[Run]]:
    rest, last, runs = json.loads(text[len(_MARK) :])
    return rest, last, [Run(value, tuple(map(_span, spans))) for value, spans in runs]


def _span(written: Any) -> Span:
    return written if isinstance(written, str) else (written[0], written[1])


def _pieces(text: str) -> Iterator[str]:
    """Yield the JSON that a text stands for, piece by piece: what `json.dumps` would give."""
    rest, last, runs = _parts(text)
    head = json.dumps(rest)[:-1]
    yield f"{head}, {json.dumps(last)}: {{" if rest else f"{{{json.dumps(last)}: {{"
    separator = ""
    for run in runs:
        value, names = json.dumps(run.value), _escaped(run)
        between = f'": {value}, "'
        while some := list(islice(names, _AT_ONCE)):
            yield f'{separator}"{between.join(some)}": {value}'
            separator = ", "
    yield "}}"


def _escaped(run: Run) -> Iterator[str]:
    """Yield the names of a run as JSON has them between quotes; in numbers nothing is escaped."""
    if any(isinstance(each, str) for each in run.spans):
        return (json.dumps(each)[1:-1] for each in run.names())
    return run.names()


def _fits(runs: Iterable[Run]) -> bool:
    """Tell whether the JSON would surely keep to the limits. If not, whoever reads it says so."""
    size = values = 0
    for run in runs:
        text, count = json.dumps(run.value), run.count
        named = [each for each in run.spans if isinstance(each, str)]
        size += (len(text) + _BESIDE + _LONGEST) * count + sum(map(len, map(json.dumps, named)))
        values += (text.count(",") + text.count(":") + text.count("[") + 4) * count
    return size < DEFAULT_LIMITS.text_bytes and values < DEFAULT_LIMITS.nodes


def _runs_of(entries: Mapping[str, Any]) -> list[Run]:
    values = set(map(id, entries.values()))
    if len(values) == 1:
        return [Run(next(iter(entries.values())), tuple(_spans(list(entries))))]
    if len(values) * _FEWER > len(entries):
        return [Run(value, (name,)) for name, value in entries.items()]
    return [
        Run(entries[same[0]], tuple(_spans(same)))
        for same in (list(names) for _, names in groupby(entries, lambda name: id(entries[name])))
    ]


def _spans(names: list[str]) -> Iterable[Span]:
    """Return names as spans; most of the time they are all numbers, one after the other."""
    first = number_of(names[0])
    if first is not None and names == list(map(str, range(first, first + len(names)))):
        return ((first, first + len(names)),)
    return spans_of(names)
