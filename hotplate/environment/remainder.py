"""What an inline environment says beyond the files that come with it."""

from collections.abc import Mapping, Sequence
from typing import Any

from hotplate.environment.environment_file import EnvironmentFile
from hotplate.environment.merge import client_merged


def remainder(inline: EnvironmentFile, files: Sequence[EnvironmentFile]) -> EnvironmentFile:
    """Return the part of the inline environment that differs from the merge of the files.

    python-heatclient repeats the merge of all files inline, and adds to it what was given on the
    command line (hooks). Only the addition counts: maps are compared key by key, everything else
    as a whole. ``files`` are those of the same request, in its order. Without files all of it
    counts.
    """
    different = _difference(inline.sections, client_merged(files))
    sections = {section: value for section, value in different.items() if value != {}}
    return EnvironmentFile(inline.document, sections, inline.warnings)


def _difference(inline: Mapping[str, Any], merged: Mapping[str, Any]) -> dict[str, Any]:
    different: dict[str, Any] = {}
    for key, value in inline.items():
        known = merged.get(key)
        if isinstance(value, dict) and isinstance(known, dict):
            inner = _difference(value, known)
            if inner:
                different[key] = inner
        elif key not in merged or not _same(value, known):
            different[key] = value
    return different


def _same(one: Any, other: Any) -> bool:
    """Compare as JSON would: true, 1 and 1.0 are three values."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)
