"""Queries on running workflows: what a step of a tree wrote, and its rows read back."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final

from sqlalchemy import Connection, and_, bindparam, delete, func, insert, or_, select, update

from hotplate.store.prepared import Prepared, PreparedList
from hotplate.store.schema import unless_known
from hotplate.store.sealing import Seals, seals_of
from hotplate.store.workflows.schema import (
    workflow_action,
    workflow_execution,
    workflow_task,
    workflow_text,
)
from hotplate.workflow.model import ActionRun, State, TaskKind, TaskRun, Wait, WorkflowRun

READY: Final = "ready"
"""No worker performs the action yet; any may."""

HELD: Final = "held"
"""A worker performs the action. Should it die, it is not known how far it came."""


@dataclass(frozen=True, slots=True)
class Placed:
    """An action and in whose hands it is. ``due``: it only waits, and ends at this time."""

    action: ActionRun
    hand: str | None = None
    worker: int | None = None
    due: float | None = None


@dataclass(slots=True)
class TreeChange:
    """What one step changes in a tree. Without a ``revision`` the tree is new.

    Of actions that exist, those that go on stay in the hands they are in.
    """

    tree: str
    project: str
    revision: int | None
    new_runs: list[WorkflowRun] = field(default_factory=list)
    runs: list[WorkflowRun] = field(default_factory=list)
    new_tasks: list[TaskRun] = field(default_factory=list)
    tasks: list[TaskRun] = field(default_factory=list)
    new_actions: list[Placed] = field(default_factory=list)
    actions: list[ActionRun] = field(default_factory=list)
    tags: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Of new runs, by their ids."""

    @property
    def rows(self) -> int:
        """How many rows are written."""
        runs = len(self.new_runs) + len(self.runs)
        tasks = len(self.new_tasks) + len(self.tasks)
        return runs + tasks + len(self.new_actions) + len(self.actions)


@dataclass(frozen=True, slots=True)
class StoredRun:
    """All rows of one run. ``tree`` and ``revision`` are those of its root."""

    run: WorkflowRun
    tasks: list[TaskRun]
    actions: list[ActionRun]
    tree: str


_RUN_COLUMNS = (
    "id", "tree", "revision", "project", "workflow_name", "workflow_id", "namespace", "text",
    "description", "tags", "state", "state_info", "input", "output", "params", "task_id",
    "details", "created_at", "updated_at", "finished_at",
)  # fmt: skip
_RUN_CHANGING = (
    "description", "state", "state_info", "input", "output", "params", "details", "updated_at",
    "finished_at",
)  # fmt: skip
_TASK_COLUMNS = tuple(column.name for column in workflow_task.c)
_TASK_CHANGING = (
    "state", "state_info", "published", "processed", "wake_at", "details", "updated_at",
    "started_at", "finished_at",
)  # fmt: skip
ACTION_COLUMNS = tuple(column.name for column in workflow_action.c)
_ACTION_CHANGING = (
    "input", "output", "state", "accepted", "details", "updated_at", "finished_at", "calls",
)  # fmt: skip
_IN_HANDS = ("hand", "worker", "due")

_RUN_DETAILS = tuple(
    each.name
    for each in fields(WorkflowRun)
    if each.name not in {*_RUN_COLUMNS, "definition", "root_id", "parent_task_id"}
)
_TASK_DETAILS = tuple(
    each.name for each in fields(TaskRun) if each.name not in {*_TASK_COLUMNS, "run_id"}
)
_ACTION_DETAILS = tuple(
    each.name for each in fields(ActionRun) if each.name not in {*ACTION_COLUMNS, "run_id"}
)


def _updating(table: Any, names: Iterable[str]) -> Prepared:
    names = tuple(names)
    statement = (
        update(table)
        .where(table.c.id == bindparam("at_id"))
        .values({name: bindparam(f"to_{name}") for name in names})
    )
    return Prepared(statement, [*(f"to_{name}" for name in names), "at_id"])


_INSERT_RUN = Prepared(insert(workflow_execution), _RUN_COLUMNS)
_INSERT_TASK = Prepared(insert(workflow_task), _TASK_COLUMNS)
INSERT_ACTION = Prepared(insert(workflow_action), ACTION_COLUMNS)
_UPDATE_RUN = _updating(workflow_execution, _RUN_CHANGING)
_UPDATE_TASK = _updating(workflow_task, _TASK_CHANGING)
_UPDATE_ACTION = _updating(workflow_action, _ACTION_CHANGING)
_END_ACTION = _updating(workflow_action, (*_ACTION_CHANGING, *_IN_HANDS))
_RAISE = Prepared(
    update(workflow_execution)
    .where(
        workflow_execution.c.id == bindparam("at_id"),
        workflow_execution.c.revision == bindparam("at_revision"),
    )
    .values(revision=workflow_execution.c.revision + 1),
    ("at_id", "at_revision"),
)
_EXISTS = Prepared(
    select(workflow_execution.c.id).where(workflow_execution.c.id == bindparam("id")), ("id",)
)
_HOLD_TEXT = Prepared(
    select(workflow_text.c.digest)
    .where(workflow_text.c.digest == bindparam("digest"))
    .with_for_update(read=True, key_share=True),
    ("digest",),
)
_ROOT = Prepared(
    select(workflow_execution.c.revision, workflow_execution.c.project).where(
        workflow_execution.c.id == bindparam("id")
    ),
    ("id",),
)
_RUN = Prepared(
    select(
        *(workflow_execution.c[name] for name in _RUN_COLUMNS), workflow_text.c.body.label("body")
    )
    .join(workflow_text, workflow_text.c.digest == workflow_execution.c.text)
    .where(workflow_execution.c.id == bindparam("id")),
    ("id",),
)
_TASKS = Prepared(
    select(workflow_task)
    .where(workflow_task.c.execution_id == bindparam("run"))
    .order_by(workflow_task.c.number),
    ("run",),
)
_ACTIONS = Prepared(
    select(workflow_action)
    .where(workflow_action.c.execution_id == bindparam("run"))
    .order_by(workflow_action.c.number),
    ("run",),
)
_ONE_ACTION = Prepared(
    select(workflow_action).where(workflow_action.c.id == bindparam("id")), ("id",)
)
_OF_TREE = Prepared(
    select(workflow_execution.c.id).where(workflow_execution.c.tree == bindparam("tree")),
    ("tree",),
)
_BELOW = PreparedList(
    select(workflow_execution.c.id)
    .join(workflow_task, workflow_task.c.id == workflow_execution.c.task_id)
    .where(workflow_task.c.execution_id.in_(bindparam("ids", expanding=True))),
    "ids",
)
_ACTIVE = Prepared(
    select(func.count()).where(
        and_(
            workflow_execution.c.project == bindparam("project"),
            or_(
                *(
                    workflow_execution.c.state == state.value
                    for state in (State.IDLE, State.RUNNING, State.PAUSED)
                )
            ),
        )
    ),
    ("project",),
)
_KEPT = Prepared(
    select(func.count()).where(workflow_execution.c.project == bindparam("project")),
    ("project",),
)


def write_tree(connection: Connection, change: TreeChange) -> bool:
    """Write what a step changed; False, and nothing written, if the tree has moved on meanwhile."""
    if change.revision is None:
        if _EXISTS.rows(connection, change.tree):
            return False
    elif not _RAISE.run(connection, change.tree, change.revision):
        return False
    seals = seals_of(connection, change.project)
    digests = _texts(connection, seals, change.new_runs)
    _INSERT_RUN.run_all(
        connection,
        [
            _run_row(run, change, digest, seals)
            for run, digest in zip(change.new_runs, digests, strict=True)
        ],
    )
    _UPDATE_RUN.run_all(connection, [_changed_run(run, seals) for run in change.runs])
    _INSERT_TASK.run_all(connection, [_task_row(task, change, seals) for task in change.new_tasks])
    _UPDATE_TASK.run_all(connection, [_changed_task(task, seals) for task in change.tasks])
    INSERT_ACTION.run_all(
        connection,
        [action_row(placed, change.tree, change.project, seals) for placed in change.new_actions],
    )
    _UPDATE_ACTION.run_all(
        connection,
        [_changed_action(each, seals) for each in change.actions if not each.state.is_final],
    )
    _END_ACTION.run_all(
        connection,
        [(*_changed_action(each, seals)[:-1], None, None, None, each.id)
         for each in change.actions if each.state.is_final],
    )  # fmt: skip
    return True


def read_root(connection: Connection, root_id: str) -> tuple[int, str] | None:
    """Return the revision and the project of a tree; None if there is none."""
    rows = _ROOT.rows(connection, root_id)
    return (rows[0][0], rows[0][1]) if rows else None


def read_run(connection: Connection, run_id: str) -> StoredRun | None:
    """Return a run with all its tasks and actions."""
    rows = _RUN.rows(connection, run_id)
    if not rows:
        return None
    run, seals = _run(connection, rows[0])
    return StoredRun(
        run,
        [_task(row, seals) for row in _TASKS.rows(connection, run_id)],
        [_action(row, seals) for row in _ACTIONS.rows(connection, run_id)],
        rows[0][1],
    )


def read_run_alone(connection: Connection, run_id: str) -> WorkflowRun | None:
    """Return a run without its tasks and actions."""
    rows = _RUN.rows(connection, run_id)
    return _run(connection, rows[0])[0] if rows else None


def read_action(connection: Connection, action_id: str) -> tuple[ActionRun, str | None, str] | None:
    """Return an action, the root of its tree if it has one, and its project."""
    rows = _ONE_ACTION.rows(connection, action_id)
    if not rows:
        return None
    named = dict(zip(ACTION_COLUMNS, rows[0], strict=True))
    project: str = named["project"]
    return _action(rows[0], seals_of(connection, project)), named["tree"], project


def remove_tree(connection: Connection, run_id: str, root_id: str) -> State | None:
    """Remove a run with all that is below it; steps that do not know of it come too late.

    A run that has not ended stays, and its state is returned.
    """
    connection.execute(
        update(workflow_execution)
        .where(workflow_execution.c.id == root_id)
        .values(revision=workflow_execution.c.revision + 1)
    )
    # The state does not change while the root is locked.
    found = connection.execute(
        select(workflow_execution.c.state).where(workflow_execution.c.id == run_id)
    ).scalar()
    if found is not None and not State(found).is_final:
        return State(found)
    doomed = [run_id]
    level = [run_id]
    while level:
        level = [row[0] for row in _BELOW.rows(connection, level)]
        doomed.extend(level)
    for start in range(0, len(doomed), 500):
        part = doomed[start : start + 500]
        for table in (workflow_action, workflow_task):
            connection.execute(delete(table).where(table.c.execution_id.in_(part)))
        connection.execute(delete(workflow_execution).where(workflow_execution.c.id.in_(part)))
    return None


def count_active_executions(connection: Connection, project: str) -> int:
    """Return how many executions of a project have not ended, sub-workflows included."""
    return int(_ACTIVE.rows(connection, project)[0][0])


def count_executions(connection: Connection, project: str) -> int:
    """Return how many executions of a project are kept, sub-workflows included."""
    return int(_KEPT.rows(connection, project)[0][0])


def dumped(value: Any) -> str:
    """Return plain data as a text that every database stores."""
    return json.dumps(value)


def plain(text: str | None) -> str | None:
    """Return a text that every database stores."""
    if text is None:
        return None
    return text.replace("\0", "�").encode("utf-8", "replace").decode("utf-8")


def digest_of(text: str) -> str:
    """Return what a definition is stored under."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _texts(connection: Connection, seals: Seals, runs: Sequence[WorkflowRun]) -> list[str]:
    """Store definitions that are not stored yet, and hold them all until the runs are committed."""
    digests = {run.definition: seals.stored(digest_of(run.definition)) for run in runs}
    for text, digest in sorted(digests.items()):
        while not _HOLD_TEXT.rows(connection, digest):
            # Another transaction may be faster, and a purge faster still: look again.
            insertion = unless_known(connection, workflow_text)
            row = {"digest": digest, "body": seals.seal(_TEXT, digest, text)}
            connection.execute(insertion, [row])
    return [digests[run.definition] for run in runs]


def _details(record: Any, names: Sequence[str]) -> str:
    return dumped({name: getattr(record, name) for name in names})


_TEXT = "workflow_text|body"
_RUN_INPUT = "workflow_execution|input"
_RUN_OUTPUT = "workflow_execution|output"
_RUN_PARAMS = "workflow_execution|params"
_RUN_REST = "workflow_execution|details"
_PUBLISHED = "workflow_task|published"
_TASK_REST = "workflow_task|details"
_ACTION_INPUT = "workflow_action|input"
ACTION_OUTPUT = "workflow_action|output"
ACTION_REST = "workflow_action|details"


def _run_row(run: WorkflowRun, change: TreeChange, digest: str, seals: Seals) -> tuple[Any, ...]:
    seal, at = seals.seal, run.id
    return (
        at, change.tree, 0, change.project, run.workflow_name, run.workflow_id, run.namespace,
        digest, plain(run.description), dumped(list(change.tags.get(at, ()))),
        run.state.value, plain(run.state_info), seal(_RUN_INPUT, at, dumped(run.input)),
        seal(_RUN_OUTPUT, at, dumped(run.output)), seal(_RUN_PARAMS, at, dumped(run.params)),
        run.parent_task_id, seal(_RUN_REST, at, _details(run, _RUN_DETAILS)), run.created_at,
        run.updated_at, run.finished_at,
    )  # fmt: skip


def _changed_run(run: WorkflowRun, seals: Seals) -> tuple[Any, ...]:
    seal, at = seals.seal, run.id
    return (
        plain(run.description), run.state.value, plain(run.state_info),
        seal(_RUN_INPUT, at, dumped(run.input)), seal(_RUN_OUTPUT, at, dumped(run.output)),
        seal(_RUN_PARAMS, at, dumped(run.params)),
        seal(_RUN_REST, at, _details(run, _RUN_DETAILS)), run.updated_at, run.finished_at, at,
    )  # fmt: skip


def _task_row(task: TaskRun, change: TreeChange, seals: Seals) -> tuple[Any, ...]:
    seal, at = seals.seal, task.id
    return (
        at, task.run_id, change.tree, change.project, task.number, task.name,
        task.kind.value, task.state.value, plain(task.state_info),
        seal(_PUBLISHED, at, dumped(task.published)), task.processed, task.wake_at,
        seal(_TASK_REST, at, _details(task, _TASK_DETAILS)), task.created_at,
        task.updated_at, task.started_at, task.finished_at,
    )  # fmt: skip


def _changed_task(task: TaskRun, seals: Seals) -> tuple[Any, ...]:
    seal, at = seals.seal, task.id
    return (
        task.state.value, plain(task.state_info), seal(_PUBLISHED, at, dumped(task.published)),
        task.processed, task.wake_at, seal(_TASK_REST, at, _details(task, _TASK_DETAILS)),
        task.updated_at, task.started_at, task.finished_at, at,
    )  # fmt: skip


def action_row(placed: Placed, tree: str | None, project: str, seals: Seals) -> tuple[Any, ...]:
    """Return an action as a row of all columns."""
    action, seal, at = placed.action, seals.seal, placed.action.id
    return (
        at, action.run_id, action.task_id, tree, project, action.number, action.name,
        seal(_ACTION_INPUT, at, dumped(action.input)),
        seal(ACTION_OUTPUT, at, dumped(action.output)), action.state.value, action.accepted,
        placed.hand, placed.worker, placed.due,
        seal(ACTION_REST, at, _details(action, _ACTION_DETAILS)), action.created_at,
        action.updated_at, action.finished_at, action.child_id is not None,
    )  # fmt: skip


def _changed_action(action: ActionRun, seals: Seals) -> tuple[Any, ...]:
    seal, at = seals.seal, action.id
    return (
        seal(_ACTION_INPUT, at, dumped(action.input)),
        seal(ACTION_OUTPUT, at, dumped(action.output)), action.state.value, action.accepted,
        seal(ACTION_REST, at, _details(action, _ACTION_DETAILS)), action.updated_at,
        action.finished_at, action.child_id is not None, at,
    )  # fmt: skip


def _run(connection: Connection, row: Any) -> tuple[WorkflowRun, Seals]:
    named = dict(zip((*_RUN_COLUMNS, "body"), row, strict=True))
    seals, at = seals_of(connection, named["project"]), named["id"]
    details = json.loads(seals.open(_RUN_REST, at, named["details"]))
    is_root = named["tree"] == at
    run = WorkflowRun(
        id=at,
        workflow_name=named["workflow_name"],
        definition=seals.open(_TEXT, named["text"], named["body"]),
        workflow_id=named["workflow_id"],
        namespace=named["namespace"],
        project=named["project"],
        description=named["description"],
        state=State(named["state"]),
        state_info=named["state_info"],
        input=json.loads(seals.open(_RUN_INPUT, at, named["input"])),
        output=json.loads(seals.open(_RUN_OUTPUT, at, named["output"])),
        params=json.loads(seals.open(_RUN_PARAMS, at, named["params"])),
        root_id=None if is_root else named["tree"],
        parent_task_id=named["task_id"],
        created_at=named["created_at"],
        updated_at=named["updated_at"],
        finished_at=named["finished_at"],
        **details,
    )
    return run, seals


def _task(row: Any, seals: Seals) -> TaskRun:
    named = dict(zip(_TASK_COLUMNS, row, strict=True))
    at = named["id"]
    details = json.loads(seals.open(_TASK_REST, at, named["details"]))
    for name, kind in (("waiting_for", Wait), ("end_state", State)):
        if details[name] is not None:
            details[name] = kind(details[name])
    return TaskRun(
        id=at,
        run_id=named["execution_id"],
        number=named["number"],
        name=named["name"],
        kind=TaskKind(named["kind"]),
        state=State(named["state"]),
        state_info=named["state_info"],
        published=json.loads(seals.open(_PUBLISHED, at, named["published"])),
        processed=bool(named["processed"]),
        created_at=named["created_at"],
        updated_at=named["updated_at"],
        started_at=named["started_at"],
        finished_at=named["finished_at"],
        **details,
    )


def _action(row: Any, seals: Seals) -> ActionRun:
    named = dict(zip(ACTION_COLUMNS, row, strict=True))
    at = named["id"]
    return ActionRun(
        id=at,
        run_id=named["execution_id"] or "",
        task_id=named["task_id"] or "",
        number=named["number"],
        name=named["name"],
        input=json.loads(seals.open(_ACTION_INPUT, at, named["input"])),
        state=State(named["state"]),
        output=json.loads(seals.open(ACTION_OUTPUT, at, named["output"])),
        accepted=bool(named["accepted"]),
        created_at=named["created_at"],
        updated_at=named["updated_at"],
        finished_at=named["finished_at"],
        **json.loads(seals.open(ACTION_REST, at, named["details"])),
    )
