"""Workflows and triggers are found by names that users choose."""

from dataclasses import dataclass

from hotplate.resources.cookie import Cookie


@dataclass(frozen=True, slots=True)
class ReservedName(Cookie):
    """The name was free when this was stored: an object of that name is the resource's own."""

    name: str
