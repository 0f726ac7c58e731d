"""Which environment file is which, wherever it was sent from.

Clients name local files by absolute addresses, which differ from one checkout to the next. A file
is known by the end of its path instead, or by a name that its client states.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from hotplate.document import InvalidDocument, Problem

Steps = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file of a list and the name it is known by.

    ``steps`` is its path if it is named by the address of a local file, else empty. ``is_stated``
    is False for a name that was made of the path.
    """

    file: str
    name: str
    is_stated: bool
    steps: Steps

    @property
    def tail(self) -> Steps:
        """How the path of the same file elsewhere must end."""
        steps = _split(self.name)
        ups = next((i for i, step in enumerate(steps) if step != ".."), len(steps))
        return steps[ups:]


def listed_files(files: Iterable[str], stated: Mapping[str, str]) -> dict[str, ListedFile]:
    """Return what each file of a list is known by.

    That is the name that a client has ``stated``; else, unless it is the address of a local file,
    what it is listed as; else the shortest end of its path that no other file of the list has.
    """
    paths = {file: _path(file) for file in files}
    names = {
        file: stated.get(file) or (file if path is None else None) for file, path in paths.items()
    }
    taken = Counter(
        tail
        for file, path in paths.items()
        for tail in {*_tails(path or ()), *_tails(_split(names[file] or ""))}
    )
    return {
        file: ListedFile(
            file,
            names[file] or _shortest(path or (), taken),
            names[file] is not None,
            path or (),
        )
        for file, path in paths.items()
    }


def same_files(sent: Mapping[str, ListedFile], listed: Mapping[str, ListedFile]) -> dict[str, str]:
    """Return which of the files that are sent is which of a list, by their addresses.

    One with the same address is the same. Where both names are stated, they decide. Else it is the
    one whose path ends with the name of the other, and of several the one that has most of its path
    in common. Two files of one request are never the same. Raises InvalidDocument if it is not
    clear.
    """
    found = {file: file for file in sent if file in listed}
    free = [each for file, each in listed.items() if file not in found]
    wanted: dict[str, list[tuple[float, str]]] = {}
    for each in sent.values():
        if each.file in found:
            continue
        likeness = {other.file: _likeness(each, other) for other in free}
        best = max(likeness.values(), default=0.0)
        fitting = [file for file, value in likeness.items() if value == best > 0.0]
        if len(fitting) > 1:
            raise _ambiguous([each.file], fitting)
        if fitting:
            wanted.setdefault(fitting[0], []).append((best, each.file))
    for file, candidates in wanted.items():
        best = max(candidates)[0]
        nearest = [candidate for value, candidate in candidates if value == best]
        if len(nearest) > 1:
            raise _ambiguous(nearest, [file])
        found[nearest[0]] = file
    return found


def _likeness(sent: ListedFile, listed: ListedFile) -> float:
    """Return how many steps two files have in common at the end, 0 if they are not the same."""
    if sent.is_stated and (listed.is_stated or sent.name == listed.name):
        return math.inf if sent.name == listed.name else 0.0
    if sent.is_stated:
        return float(len(sent.tail)) if _ends_with(listed.steps, sent.tail) else 0.0
    if not _ends_with(sent.steps, listed.tail):
        return 0.0
    common = common_end(sent.steps, listed.steps or listed.tail)
    if common == 1 and listed.steps and _is_inside(sent.steps[:-1], listed.steps[:-1]):
        return 0.0  # common.yaml and prod/common.yaml: two files of one tree
    return float(common)


def _ends_with(steps: Steps, tail: Steps) -> bool:
    return bool(tail) and steps[-len(tail) :] == tail


def _is_inside(one: Steps, other: Steps) -> bool:
    """Whether one folder lies in the other. They are not the same."""
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def common_end(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many steps two paths have in common at the end."""
    count = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        count += 1
    return count


def _path(file: str) -> Steps | None:
    """Return the steps of the path of a local file, None for every other name."""
    parts = urlsplit(file)
    if parts.scheme == "file":
        return _split(unquote(parts.path)) or None
    return _split(file) if file.startswith("/") else None


def _split(path: str) -> Steps:
    return tuple(step for step in path.split("/") if step not in ("", "."))


def _tails(steps: Steps) -> Sequence[Steps]:
    return [steps[start:] for start in range(len(steps))]


def _shortest(path: Steps, taken: Mapping[Steps, int]) -> str:
    for tail in reversed(_tails(path)):
        if taken[tail] == 1:
            return "/".join(tail)
    return "/" + "/".join(path)


def _ambiguous(sent: Sequence[str], listed: Sequence[str]) -> InvalidDocument:
    ones, others = (" or ".join(f'"{file}"' for file in files) for files in (sent, listed))
    message = f"it is not clear whether {ones} is {others}, which the stack has"
    hint = 'state their names in the field "environment_file_names", or send the whole list'
    return InvalidDocument([Problem(message, ("environment_files",), hint)])
