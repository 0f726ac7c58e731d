"""The functions that workflows add to YAQL and Jinja. The first argument is the scope."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import yaml

from hotplate.workflow.expressions.scope import Scope

_DEEPEST: Final = 100
_LONGEST: Final = 1_000_000
_LONGEST_READ_SLOWLY: Final = 50_000
_MOST_ITEMS: Final = 100_000


class _Reader(yaml.SafeLoader):
    """YAML without anchors: what looks like one is text, so nothing can multiply."""

    def fetch_alias(self) -> None:
        self.fetch_plain()

    def fetch_anchor(self) -> None:
        self.fetch_plain()

    def check_plain(self) -> bool:
        return self.peek() == "@" or super().check_plain()


class _Writer(yaml.CSafeDumper):
    """YAML without anchors, whatever is in it twice."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _env(scope: Scope) -> Any:
    return scope.env()


def _execution(scope: Scope) -> Any:
    return scope.execution()


def _executions(
    scope: Scope,
    id: Any = None,  # noqa: A002
    root_execution_id: Any = None,
    state: Any = None,
    from_time: Any = None,
    to_time: Any = None,
) -> Any:
    return scope.executions(id, root_execution_id, state, from_time, to_time)


def _task(scope: Scope, task_name: Any = None) -> Any:
    return scope.task(task_name or None)


def _tasks(
    scope: Scope,
    workflow_execution_id: Any = None,
    recursive: Any = False,
    state: Any = None,
    flat: Any = False,
) -> Any:
    return scope.tasks(workflow_execution_id, bool(recursive), state, bool(flat))


def _global(scope: Scope, var_name: Any) -> Any:
    return scope.global_value(var_name)


def _uuid(scope: Scope) -> str:
    return scope.uuid()


def _json_dump(scope: Scope, data: Any) -> str:
    return json.dumps(_thawed(data), indent=4)


def _json_parse(scope: Scope, data: Any) -> Any:
    return json.loads(_short(data))


def _yaml_dump(scope: Scope, data: Any) -> str:
    return str(yaml.dump(_thawed(data), Dumper=_Writer, default_flow_style=False))


def _yaml_parse(scope: Scope, data: Any) -> Any:
    if "&" in _short(data) or "*" in data:
        return yaml.load(_short(data, _LONGEST_READ_SLOWLY), Loader=_Reader)  # noqa: S506 (safe)
    depth = 0
    for event in yaml.parse(data, Loader=yaml.CSafeLoader):
        # The fast reader has a stack of its own, which a text of brackets would overflow.
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise ValueError(f"a text nested more than {_DEEPEST} levels deep is not read")
    return yaml.load(data, Loader=yaml.CSafeLoader)


def _short(text: Any, longest: int = _LONGEST) -> str:
    if not isinstance(text, str):
        raise ValueError(f"a text is needed, not a {type(text).__name__}")
    if len(text) > longest:
        raise ValueError(f"a text of more than {longest} characters is not read")
    return text


def _thawed(value: Any) -> Any:
    """Return YAQL's own kinds of maps and lists as Python's."""
    items = 0

    def thaw(value: Any, depth: int) -> Any:
        nonlocal items
        items += 1
        if depth > _DEEPEST:
            raise ValueError(f"a value nested more than {_DEEPEST} levels deep is not written")
        if items > _MOST_ITEMS:
            raise ValueError(f"a value of more than {_MOST_ITEMS} items is not written")
        if isinstance(value, Mapping):
            return {key: thaw(item, depth + 1) for key, item in value.items()}
        if isinstance(value, list | tuple | set | frozenset | Iterator):
            return [thaw(item, depth + 1) for item in value]
        return value

    return thaw(value, 0)


FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "env": _env,
    "execution": _execution,
    "executions": _executions,
    "global": _global,
    "json_dump": _json_dump,
    "json_parse": _json_parse,
    "task": _task,
    "tasks": _tasks,
    "uuid": _uuid,
    "yaml_dump": _yaml_dump,
    "yaml_parse": _yaml_parse,
}
