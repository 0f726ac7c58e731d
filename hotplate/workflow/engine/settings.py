"""What an operator can set of workflows."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FlowSettings:
    """Limits of one project and of one execution. The defaults suit one user on one machine."""

    most_definitions: int = 5_000
    """Workflows, ad-hoc actions and workbooks of a project together."""

    most_executions: int = 100_000
    """Executions of a project that are kept, sub-workflows included."""

    days_to_keep: float = 30.0
    """How long executions, and actions that no workflow ran, are kept when they have ended.

    For ever, if it is 0.
    """

    most_active_executions: int = 5_000
    """Executions of a project that have not ended, sub-workflows included."""

    most_environments: int = 1_000
    """Stored environments of a project."""

    most_triggers: int = 1_000
    """Cron triggers of a project."""

    largest_definition: int = 2 * 1024 * 1024
    """Bytes of a definition."""

    most_tasks: int = 10_000
    """Tasks of one execution, each round of a loop counted."""

    most_items: int = 10_000
    """Items of one with-items task."""

    deepest_nesting: int = 20
    """Levels of sub-workflows."""

    most_sub_workflows: int = 500
    """Sub-workflows below one execution, at all levels."""

    largest_value: int = 1_000_000
    """Characters of one input, of one output, and of what one task publishes, as JSON."""

    largest_execution: int = 64_000_000
    """Characters of all data of one execution, sub-workflows not counted, as JSON.

    Each task and each call of an action counts for some hundred beside its data.
    """

    seconds_to_evaluate: float = 2.0
    """Processor time for the expressions of one value."""

    actions_at_once: int = 64
    """Actions that one process performs at the same time."""
