"""The ways in: text to workflows, workbooks or ad-hoc actions."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from hotplate.workflow.language.definition import AdhocAction, Workbook, Workflow

Check: TypeAlias = Callable[[Any], str]
"""Looks at a value's expressions without evaluating them: the fault as a sentence, or nothing."""


@dataclass(frozen=True, slots=True)
class LanguageLimits:
    """Bounds on definitions."""

    text_bytes: int = 2 * 1024 * 1024
    workflows: int = 500
    tasks: int = 1000
    """Tasks of one workflow."""


DEFAULT_LIMITS: Final = LanguageLimits()


def read_workflows(
    text: str, check: Check, limits: LanguageLimits = DEFAULT_LIMITS
) -> tuple[Workflow, ...]:
    """Return the workflows of a list. Raises InvalidDocument with all faults."""
    raise NotImplementedError


def read_workbook(text: str, check: Check, limits: LanguageLimits = DEFAULT_LIMITS) -> Workbook:
    """Return a workbook; its workflows and actions are called ``book.name``."""
    raise NotImplementedError


def read_actions(
    text: str, check: Check, limits: LanguageLimits = DEFAULT_LIMITS
) -> tuple[AdhocAction, ...]:
    """Return the ad-hoc actions of a list."""
    raise NotImplementedError


def workflow_of(text: str, name: str, workbook: str = "") -> Workflow:
    """Return the workflow that a run keeps the text of, without checking it again.

    The last few hundred are remembered, therefore a machine can be loaded cheaply.
    """
    raise NotImplementedError
