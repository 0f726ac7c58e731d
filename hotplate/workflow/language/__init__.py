"""Text to definitions: workflow lists, workbooks, ad-hoc actions."""

from hotplate.workflow.language.definition import (
    ENGINE_COMMANDS,
    REQUIRED,
    AdhocAction,
    Clause,
    Event,
    Policies,
    Publish,
    Retry,
    Target,
    Task,
    Workbook,
    Workflow,
)
from hotplate.workflow.language.faults import LONGEST_NAME, Check
from hotplate.workflow.language.reading import (
    STORED_LIMITS,
    LanguageLimits,
    read_actions,
    read_workbook,
    read_workflows,
    unchecked,
    workflow_of,
)
from hotplate.workflow.language.remembered import Remembered

__all__ = [
    "ENGINE_COMMANDS",
    "LONGEST_NAME",
    "REQUIRED",
    "STORED_LIMITS",
    "AdhocAction",
    "Check",
    "Clause",
    "Event",
    "LanguageLimits",
    "Policies",
    "Publish",
    "Remembered",
    "Retry",
    "Target",
    "Task",
    "Workbook",
    "Workflow",
    "read_actions",
    "read_workbook",
    "read_workflows",
    "unchecked",
    "workflow_of",
]
