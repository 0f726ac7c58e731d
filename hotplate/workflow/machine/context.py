"""What tasks know: variables handed from task to task, and how branches flow together."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from hotplate.workflow.model import TaskRun


class Context(NamedTuple):
    """Variables, and how often each leaf of them (by its dotted path) was published on the way."""

    data: dict[str, Any]
    versions: dict[str, int]


def outbound(task: TaskRun) -> Context:
    """Return what a task hands on: what it got, and over that what it published."""
    if not task.published:
        return Context(task.in_context, task.versions)
    versions = dict(task.versions)
    for path in _leaves(task.published, ""):
        versions[path] = versions.get(path, 0) + 1
    return Context({**task.in_context, **task.published}, versions)


def confluence(tasks: Iterable[TaskRun]) -> Context:
    """Return the contexts of several tasks as one.

    Maps are merged. Where two differ, the one published more often on its way wins; of equals, the
    one of the task that was created later.
    """
    contexts = [outbound(task) for task in sorted(tasks, key=lambda t: t.number, reverse=True)]
    if not contexts:
        return Context({}, {})
    result = contexts[0]
    for other in contexts[1:]:
        data = _merge(result, other)
        versions = dict(result.versions)
        for path, version in other.versions.items():
            versions[path] = max(version, versions.get(path, 0))
        result = Context(data, versions)
    return result


def _merge(left: Context, right: Context) -> dict[str, Any]:
    def merge(ours: dict[str, Any], theirs: dict[str, Any], prefix: str) -> dict[str, Any]:
        result = dict(ours)
        for key, value in theirs.items():
            path = f"{prefix}{key}"
            if key not in result:
                result[key] = value
            elif isinstance(result[key], dict) and isinstance(value, dict):
                result[key] = merge(result[key], value, f"{path}.")
            elif right.versions.get(path, 0) > left.versions.get(path, 0):
                result[key] = value
        return result

    return merge(left.data, right.data, "")


def _leaves(published: dict[str, Any], prefix: str) -> Iterator[str]:
    for key, value in published.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}"


def merged(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    """Return two maps as one; maps inside are merged, of other values the right one wins."""
    result = dict(left)
    for key, value in right.items():
        mine = result.get(key)
        both = isinstance(mine, dict) and isinstance(value, dict)
        result[key] = merged(mine, value) if both else value  # type: ignore[arg-type]
    return result
