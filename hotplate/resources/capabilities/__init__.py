"""What some types can do and others cannot: one class each, found by ``isinstance``.

A type that inherits one answers the questions that the engine asks of it; see the table in
docs/write-your-own-type.md.
"""

from hotplate.resources.capabilities.objects import (
    Adoptable,
    Checkable,
    Findable,
    Showable,
    Snapshots,
    Suspendable,
)

__all__ = ["Adoptable", "Checkable", "Findable", "Showable", "Snapshots", "Suspendable"]
