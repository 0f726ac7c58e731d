"""One task of a workflow."""

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final

from hotplate.document import Path
from hotplate.workflow.language.clauses import (
    CLAUSE_KEYS,
    POLICY_KEYS,
    read_clauses,
    read_policies,
    read_publish,
    with_defaults,
)
from hotplate.workflow.language.definition import (
    ENGINE_COMMANDS,
    NO_POLICIES,
    Clause,
    Event,
    Policies,
    Task,
)
from hotplate.workflow.language.faults import Faults, looks_like_expression
from hotplate.workflow.language.inline import BadCall, split_call
from hotplate.workflow.model import TaskKind

_SHARED_KEYS: Final = (
    "name",
    "version",
    "type",
    "description",
    "tags",
    "action",
    "workflow",
    "input",
    "with-items",
    "publish",
    "publish-on-error",
    "publish-on-skip",
    "target",
    "keep-result",
    *POLICY_KEYS,
)
_DIRECT_KEYS: Final = (*_SHARED_KEYS, "join", *CLAUSE_KEYS)
_REVERSE_KEYS: Final = (*_SHARED_KEYS, "requires")
_DEFAULTS_KEYS: Final = (*POLICY_KEYS, *CLAUSE_KEYS, "requires")
_ITEMS: Final = re.compile(r"\s*([\w-]+)\s+in\s+(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TaskDefaults:
    """What every task of a workflow has, unless it says otherwise."""

    policies: Policies = NO_POLICIES
    clauses: dict[Event, Clause] = field(default_factory=dict)
    requires: tuple[str, ...] = ()


def read_defaults(value: Any, path: Path, faults: Faults) -> TaskDefaults:
    """Return the task-defaults of a workflow."""
    data = faults.a_map(value, path, "task-defaults")
    faults.keys(data, _DEFAULTS_KEYS, path, "task-defaults")
    return TaskDefaults(
        read_policies(data, path, faults),
        read_clauses(data, path, faults),
        faults.texts(data.get("requires"), (*path, "requires"), "requires"),
    )


class TaskReader:
    """Reads the tasks of one workflow."""

    def __init__(self, reverse: bool, defaults: TaskDefaults, faults: Faults) -> None:
        self._reverse = reverse
        self._defaults = defaults
        self._faults = faults

    def read(self, name: str, value: Any, path: Path) -> Task | None:
        """Return the task, or nothing if it is no map."""
        faults = self._faults
        faults.name(name, path, "a task")
        if name in ENGINE_COMMANDS:
            faults.add(f'a task cannot be called "{name}"', path, "that is an engine command")
        if not isinstance(value, dict) or not value:
            hint = 'for a task that does nothing write "action: std.noop"'
            faults.add(f'the task "{name}" must be a map that is not empty', path, hint)
            return None
        kind = "a task of a reverse workflow" if self._reverse else "a task of a direct workflow"
        faults.keys(value, _REVERSE_KEYS if self._reverse else _DIRECT_KEYS, path, kind)
        task_kind, call, inline = self._call(value, path)
        keep = faults.boolean(value.get("keep-result"), (*path, "keep-result"), "keep-result")
        return Task(
            name=name,
            kind=task_kind,
            call=call,
            input=self._input(value.get("input"), inline, (*path, "input")),
            with_items=self._with_items(value.get("with-items"), (*path, "with-items")),
            join=self._join(value.get("join"), (*path, "join")),
            requires=self._requires(name, value, path),
            clauses=self._clauses(name, value, path),
            publish=read_publish(value, "publish", path, faults),
            publish_on_error=read_publish(value, "publish-on-error", path, faults),
            publish_on_skip=read_publish(value, "publish-on-skip", path, faults),
            policies=with_defaults(read_policies(value, path, faults), self._defaults.policies),
            keep_result=True if keep is None else keep,
            target=value.get("target"),
            description=str(value.get("description") or ""),
            tags=faults.texts(value.get("tags"), (*path, "tags"), "tags"),
            data=value,
        )

    def _call(self, value: dict[str, Any], path: Path) -> tuple[TaskKind, str, dict[str, Any]]:
        faults = self._faults
        if "action" in value and "workflow" in value:
            faults.add("a task has either an action or a workflow", path)
        key = "workflow" if "workflow" in value else "action"
        kind = TaskKind.WORKFLOW if key == "workflow" else TaskKind.ACTION
        if key not in value:
            return kind, "std.noop", {}
        text = faults.text(value[key], (*path, key), key)
        try:
            call, inline = split_call(text) if text else ("", {})
        except BadCall as error:
            faults.add(str(error), (*path, key))
            return kind, "", {}
        faults.expressions(call, (*path, key))
        faults.expressions(inline, (*path, key))
        return kind, call, inline

    def _input(self, value: Any, inline: dict[str, Any], path: Path) -> Any:
        faults = self._faults
        if isinstance(value, str):
            if not looks_like_expression(value):
                faults.add("input must be a map, or an expression that gives one", path)
            elif inline:
                faults.add("input cannot be an expression beside inline parameters", path)
            return faults.expressions(value, path)
        return {**faults.expressions(faults.a_map(value, path, "input"), path), **inline}

    def _with_items(self, value: Any, path: Path) -> dict[str, Any]:
        faults = self._faults
        items: dict[str, Any] = {}
        for entry in faults.texts(value, path, "with-items"):
            found = _ITEMS.fullmatch(entry)
            listed: Any = found[2].strip() if found else ""
            if isinstance(listed, str) and listed.startswith("["):
                try:
                    listed = json.loads(listed)
                except (ValueError, RecursionError):
                    listed = ""
            elif not looks_like_expression(listed):
                listed = ""
            if found is None or listed == "":
                hint = "write: name in <% an expression that gives a list %>"
                faults.add(f'with-items does not understand "{entry[:80]}"', path, hint)
                continue
            items[found[1]] = faults.expressions(listed, path)
        return items

    def _join(self, value: Any, path: Path) -> int | str | None:
        if value is None or value in ("all", "one"):
            return value
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value or None
        self._faults.add("join must be all, one or a whole number", path)
        return None

    def _requires(self, name: str, value: dict[str, Any], path: Path) -> tuple[str, ...]:
        if not self._reverse:
            return ()
        own = self._faults.texts(value.get("requires"), (*path, "requires"), "requires")
        both = dict.fromkeys((*own, *self._defaults.requires))
        return tuple(required for required in both if required != name)

    def _clauses(self, name: str, value: dict[str, Any], path: Path) -> dict[Event, Clause]:
        """A clause without targets of its own goes where the task-defaults go, except to itself."""
        if self._reverse:
            return {}
        clauses = read_clauses(value, path, self._faults)
        for event, default in self._defaults.clauses.items():
            own = clauses.get(event, Clause())
            if not own.targets:
                targets = tuple(target for target in default.targets if target.name != name)
                clauses[event] = Clause(targets, own.publish)
        return clauses
