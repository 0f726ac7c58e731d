"""Text to plain data: YAML and JSON within limits, every value with its place in the text."""

from hotplate.document.document import Document, from_data, parse
from hotplate.document.equality import same
from hotplate.document.limits import DEFAULT_LIMITS, Limits
from hotplate.document.problem import (
    Cause,
    Data,
    InvalidDocument,
    Path,
    Position,
    Problem,
    Severity,
    format_path,
    place_data,
)
from hotplate.document.suggestion import did_you_mean
from hotplate.document.yaml_reader import key_text

__all__ = [
    "DEFAULT_LIMITS",
    "Cause",
    "Data",
    "Document",
    "InvalidDocument",
    "Limits",
    "Path",
    "Position",
    "Problem",
    "Severity",
    "did_you_mean",
    "format_path",
    "from_data",
    "key_text",
    "parse",
    "place_data",
    "same",
]
