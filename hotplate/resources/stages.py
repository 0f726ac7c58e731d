"""Stacks inside resources that are changed in stages, each a template of its own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Contents:
    """What is in the stack that a resource is, before its next stage.

    ``definitions`` are the resources of its template, ``references`` those of its members that
    exist. ``unsettled`` are members that are not what the template says: work on them goes on, or
    has failed.
    """

    definitions: Mapping[str, Any] = field(default_factory=dict)
    references: Mapping[str, str] = field(default_factory=dict)
    unsettled: frozenset[str] = frozenset()
    files: Mapping[str, str] = field(default_factory=dict)
    """The files that its template may use."""

    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Secrets that its definitions may repeat."""

    exists: bool = False
    """Whether there is a stack already."""

    is_new: bool = True
    """Whether the resource has never been complete."""

    policy: str = ""
    """The update policy by which earlier stages of the same change went."""

    order: tuple[str, ...] = ()
    """Names of the members, the oldest first; what is not made yet comes last.

    Of a stack that is to be adopted the names are known before there are definitions.
    """

    failed: frozenset[str] = frozenset()
    """Members that have failed."""

    creation_token: str = ""
    """That of the resource: no other group has it."""


@dataclass(frozen=True, slots=True)
class Stage:
    """The template that the stack goes to next. What is None in ``data`` stays as it was."""

    template: dict[str, Any]
    policy: str = ""
    """The update policy by which it goes on when it is there; empty if there is no more."""

    pause: float = 0
    """Seconds to wait before it goes on."""

    data: dict[str, Any] | None = None
