"""Differences between objects and what was applied to them, as the API shows them."""

from collections.abc import Iterable
from typing import Any, Final

from hotplate.api.http.fields import Schema
from hotplate.api.http.shapes import listed, record, text
from hotplate.model import Difference

DIFFERENCES: Final[Schema] = listed(record({"property": text(), "applied": {}, "live": {}}))


def difference_documents(differences: Iterable[Difference]) -> list[dict[str, Any]]:
    """Return differences as the API shows them."""
    return [
        {"property": each.path, "applied": each.applied, "live": each.live} for each in differences
    ]
