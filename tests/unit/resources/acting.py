"""A resource to call a type's methods with, in a world whose clock stands still."""

from collections.abc import Mapping
from random import Random
from typing import Any

from hotplate.resources import Resource, ResourceType


class StillWorld:
    """Time passes when a test says so."""

    def __init__(self, services: Mapping[str, Any] | None = None) -> None:
        self.random = Random(1)
        self.time = 1000.0
        self._services = services or {}

    def now(self) -> float:
        return self.time

    def service(self, name: str) -> Any:
        return self._services[name]


def resource(kind: ResourceType, given: Mapping[str, Any] | None = None, **facts: Any) -> Resource:
    """The resource "it" in the stack "app", with the given properties and facts."""
    return Resource(
        **{
            "stack_name": "app",
            "stack_id": "5cbd1b4f-3a3e-4c0e-8f9c-2d1f5d0c7a11",
            "project": "p",
            "name": "it",
            "creation_token": "0f6f8f0e-1111-4222-8333-444455556666",
            "physical_id": None,
            "properties": kind.convert(given or {}),
            "data": {},
            "world": StillWorld(),
            **facts,
        }
    )
