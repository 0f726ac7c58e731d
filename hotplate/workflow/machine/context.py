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
    if len(contexts) < 2:
        return contexts[0] if contexts else Context({}, {})
    meeting = _Meeting(contexts[0])
    for other in contexts[1:]:
        meeting.join(other)
    return Context(meeting.data, meeting.versions)


class _Meeting:
    """Contexts merged one after the other. Only maps that were made here are changed."""

    def __init__(self, first: Context) -> None:
        self.data = dict(first.data)
        self.versions = dict(first.versions)
        self._own = {id(self.data)}

    def join(self, other: Context) -> None:
        """Merge one more context into what is there."""
        self._merge(self.data, other.data, "", other.versions)
        for path, version in other.versions.items():
            self.versions[path] = max(version, self.versions.get(path, 0))

    def _merge(
        self, ours: dict[str, Any], theirs: dict[str, Any], prefix: str, versions: dict[str, int]
    ) -> None:
        for key, value in theirs.items():
            path = f"{prefix}{key}"
            mine = ours.get(key)
            if key not in ours:
                ours[key] = value
            elif isinstance(mine, dict) and isinstance(value, dict):
                if id(mine) not in self._own:
                    mine = ours[key] = dict(mine)
                    self._own.add(id(mine))
                self._merge(mine, value, f"{path}.", versions)
            elif versions.get(path, 0) > self.versions.get(path, 0):
                ours[key] = value


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
