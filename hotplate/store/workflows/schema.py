"""The tables of workflows: definitions, runs with their tasks and actions, and what starts them.

A run and its sub-workflows are a tree. Everything that happens in a tree is written in
transactions that raise the revision of its root, so no process writes on top of what it has not
seen. What the machine alone reads stands together in ``details``.
"""

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    Index,
    Integer,
    String,
    Table,
    Text,
    text,
)
from sqlalchemy.dialects.mysql import LONGTEXT

from hotplate.store.schema import METADATA

__all__ = [
    "METADATA",
    "workflow_action",
    "workflow_definition",
    "workflow_environment",
    "workflow_execution",
    "workflow_task",
    "workflow_text",
    "workflow_trigger",
]

_Id = String(36)
_Digest = String(64)
_Name = String(255)
_Project = String(64)
_Word = String(24)
_Long = Text().with_variant(LONGTEXT(), "mysql", "mariadb")
_Big = BigInteger().with_variant(Integer(), "sqlite")

_EXACT: dict[str, Any] = {
    f"{dialect}_{option}": value
    for dialect in ("mysql", "mariadb")
    for option, value in (
        ("engine", "InnoDB"),
        ("charset", "utf8mb4"),
        ("collate", "utf8mb4_nopad_bin"),
        ("row_format", "DYNAMIC"),
    )
}
_NEVER_AGAIN: dict[str, Any] = {"sqlite_autoincrement": True}

workflow_text: Final = Table(
    "workflow_text",
    METADATA,
    Column("digest", _Digest, primary_key=True, comment="SHA-256 of the body"),
    Column("body", _Long, nullable=False),
    comment="Definitions that runs were started with: one row for each text.",
    **_EXACT,
)

workflow_definition: Final = Table(
    "workflow_definition",
    METADATA,
    Column("number", _Big, primary_key=True, autoincrement=True),
    Column("id", _Id, nullable=False, unique=True),
    Column("kind", _Word, nullable=False, comment="workflow, action or workbook"),
    Column("project", _Project, nullable=False),
    Column("namespace", _Name, nullable=False),
    Column("name", _Name, nullable=False),
    Column("workbook", _Name, nullable=False, comment="where it comes from; empty for none"),
    Column("scope", _Word, nullable=False),
    Column("definition", _Long, nullable=False),
    Column("description", _Long, nullable=False),
    Column("tags", _Long, nullable=False),
    Column("input", _Long, nullable=False, comment="JSON: as the definition lists it"),
    Column("output", _Long, nullable=False, comment="JSON: names"),
    Column("checksum", String(32)),
    Column("created_at", Double, nullable=False),
    Column("updated_at", Double),
    Index("workflow_definition_name", "project", "kind", "namespace", "name", unique=True),
    **_EXACT,
    **_NEVER_AGAIN,
)

workflow_execution: Final = Table(
    "workflow_execution",
    METADATA,
    Column("number", _Big, primary_key=True, autoincrement=True),
    Column("id", _Id, nullable=False, unique=True),
    Column("tree", _Id, nullable=False, comment="id of the root"),
    Column("revision", Integer, nullable=False, comment="of the whole tree; counts in its root"),
    Column("project", _Project, nullable=False),
    Column("workflow_name", _Name, nullable=False),
    Column("workflow_id", _Id, nullable=False),
    Column("namespace", _Name, nullable=False),
    Column("text", _Digest, nullable=False, comment="the definition that it began with"),
    Column("description", _Long, nullable=False),
    Column("tags", _Long, nullable=False),
    Column("state", _Word, nullable=False),
    Column("state_info", _Long),
    Column("input", _Long, nullable=False),
    Column("output", _Long, nullable=False),
    Column("params", _Long, nullable=False),
    Column("task_id", _Id, comment="the task that started it; null for a root"),
    Column("details", _Long, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("updated_at", Double, nullable=False),
    Column("finished_at", Double),
    Index("workflow_execution_tree", "tree"),
    Index("workflow_execution_task", "task_id"),
    Index("workflow_execution_project", "project", "state"),
    Index("workflow_execution_newest", "project", "number"),
    Index("workflow_execution_finished", "finished_at"),
    Index("workflow_execution_text", "text"),
    **_EXACT,
    **_NEVER_AGAIN,
)

workflow_task: Final = Table(
    "workflow_task",
    METADATA,
    Column("id", _Id, primary_key=True),
    Column("execution_id", _Id, nullable=False),
    Column("tree", _Id, nullable=False),
    Column("project", _Project, nullable=False),
    Column("number", Integer, nullable=False),
    Column("name", _Name, nullable=False),
    Column("kind", _Word, nullable=False),
    Column("state", _Word, nullable=False),
    Column("state_info", _Long),
    Column("published", _Long, nullable=False),
    Column("processed", Boolean, nullable=False),
    Column("wake_at", Double, comment="when the machine wants to hear of the clock"),
    Column("details", _Long, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("updated_at", Double, nullable=False),
    Column("started_at", Double),
    Column("finished_at", Double),
    Index("workflow_task_execution", "execution_id", "number"),
    Index("workflow_task_tree", "tree"),
    Index("workflow_task_wake", "wake_at"),
    Index("workflow_task_project", "project"),
    **_EXACT,
)

workflow_action: Final = Table(
    "workflow_action",
    METADATA,
    Column("id", _Id, primary_key=True),
    Column("execution_id", _Id, comment="null for an action that no workflow runs"),
    Column("task_id", _Id),
    Column("tree", _Id),
    Column("project", _Project, nullable=False),
    Column("number", Integer, nullable=False),
    Column("name", _Name, nullable=False),
    Column("input", _Long, nullable=False),
    Column("output", _Long, nullable=False),
    Column("state", _Word, nullable=False),
    Column("accepted", Boolean, nullable=False),
    Column("hand", _Word, comment="ready to be performed, held by a worker, or null for neither"),
    Column("worker", Integer),
    Column("due", Double, comment="when an action ends that only waits"),
    Column("details", _Long, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("updated_at", Double, nullable=False),
    Column("finished_at", Double),
    Column(
        "calls",
        Boolean,
        nullable=False,
        server_default=text("'0'"),
        comment="it is the call of another workflow",
    ),
    Index("workflow_action_execution", "execution_id", "number"),
    Index("workflow_action_task", "task_id"),
    Index("workflow_action_tree", "tree"),
    Index("workflow_action_hand", "hand", "worker"),
    Index("workflow_action_due", "due"),
    Index("workflow_action_project", "project"),
    **_EXACT,
)

workflow_environment: Final = Table(
    "workflow_environment",
    METADATA,
    Column("number", _Big, primary_key=True, autoincrement=True),
    Column("id", _Id, nullable=False, unique=True),
    Column("project", _Project, nullable=False),
    Column("name", _Name, nullable=False),
    Column("description", _Long),
    Column("variables", _Long, nullable=False),
    Column("scope", _Word, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("updated_at", Double),
    Index("workflow_environment_name", "project", "name", unique=True),
    **_EXACT,
    **_NEVER_AGAIN,
)

workflow_trigger: Final = Table(
    "workflow_trigger",
    METADATA,
    Column("number", _Big, primary_key=True, autoincrement=True),
    Column("id", _Id, nullable=False, unique=True),
    Column("project", _Project, nullable=False),
    Column("name", _Name, nullable=False),
    Column("pattern", _Name),
    Column("workflow_name", _Name, nullable=False),
    Column("workflow_id", _Id, nullable=False),
    Column("workflow_input", _Long, nullable=False),
    Column("workflow_params", _Long, nullable=False),
    Column("first_at", Double),
    Column("next_at", Double, nullable=False),
    Column("remaining", Integer, comment="null for any number"),
    Column("scope", _Word, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("updated_at", Double),
    Index("workflow_trigger_name", "project", "name", unique=True),
    Index("workflow_trigger_next", "next_at"),
    **_EXACT,
    **_NEVER_AGAIN,
)
