"""Which columns are sealed: those that can hold something secret. Names only."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class SealedTable:
    """A table with sealed columns.

    ``key`` is what a row is known by: its sealed values are bound to that. ``pages`` is a unique
    column that never changes and by which the table is read page by page. ``project`` is the
    column with the project, or the one with the id of a stack whose project it is; None where only
    the keys that seal the rows tell it.
    """

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...] = ("id",)
    pages: str = "id"
    project: str | None = "project"


TABLES: Final = (
    SealedTable("content", ("body",), ("digest",), "digest", None),
    SealedTable("recipe", ("body",), ("digest",), "digest", None),
    SealedTable("workflow_text", ("body",), ("digest",), "digest", None),
    SealedTable(
        "version",
        ("definition", "before", "reference", "attributes", "data", "cookie", "differences"),
        project="stack_id",
    ),
    SealedTable("received_signal", ("body",), ("version_id", "at"), "number", "stack_id"),
    SealedTable("errand", ("body",), ("version_id", "at"), "number", "stack_id"),
    SealedTable("snapshot", ("data",), project="stack_id"),
    SealedTable("authority", ("token", "trust")),
    SealedTable("software_config", ("config", "inputs", "outputs", "options"), pages="number"),
    SealedTable("software_deployment", ("input_values", "output_values"), pages="number"),
    SealedTable("workflow_definition", ("definition", "input"), pages="number"),
    SealedTable("workflow_execution", ("input", "output", "params", "details"), pages="number"),
    SealedTable("workflow_task", ("published", "details")),
    SealedTable("workflow_action", ("input", "output", "details")),
    SealedTable("workflow_environment", ("variables",), pages="number"),
    SealedTable("workflow_trigger", ("workflow_input", "workflow_params"), pages="number"),
)

PLACES: Final[Mapping[str, frozenset[str]]] = {
    table.name: frozenset(table.columns) for table in TABLES
}
"""The sealed columns of each table."""
