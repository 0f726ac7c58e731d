"""An operation on a stack while it goes on: what has happened to each resource, and in sum.

Fed by a plan, a tree and events; drawn by whoever likes. Each event costs the depth of its stack.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from hotplate.cli.progress.event_places import Path, Whereabouts, is_old, names_of, shown_name
from hotplate.client import Happening

_PAUSED = re.compile(r"\w+ paused until Hook (\S+) is cleared")
_PASSED = re.compile(r"Hook (\S+) is cleared")
_STOPPED = re.compile(r"(?:^|: )(?:Stack [A-Z]+ cancelled|[A-Z]+ aborted(?: \([^()]*\))?)$")


class State(Enum):
    """Where a resource is within the operation."""

    UNTOUCHED = "unchanged"
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    """Its work was ended because something else failed, or by a request."""


IN_OPERATION = (State.DONE, State.RUNNING, State.FAILED, State.STOPPED, State.WAITING)
"""In the order in which sums are shown."""

_STATES = {"IN_PROGRESS": State.RUNNING, "COMPLETE": State.DONE, "FAILED": State.FAILED}
_CHANGING = frozenset(("CREATE", "UPDATE", "ROLLBACK", "RESTORE", "ADOPT"))
"""Operations during which a deleted thing is an old one, or one that is wanted no more."""


@dataclass(slots=True, eq=False)
class Item:
    """A resource, or the stack as a whole at the path of no names."""

    path: Path
    type: str = ""
    state: State = State.WAITING
    status: str = ""
    reason: str = ""
    since: float | None = None
    """When it began to run, by the clock of whoever watches."""

    took: float | None = None
    step: str = ""
    """What is to be done to it as far as is known before it begins: an action, or REPLACE."""

    is_replacement: bool = False
    """Another object takes the place of the one that was there."""

    is_kept: bool = False
    """Its object stays when it goes."""

    hook: str = ""
    """The hook that it waits at."""

    is_needless: bool = False
    """Nothing had to be done to it after all."""

    order: int = 0
    required_by: tuple[str, ...] = ()
    children: dict[str, "Item"] = field(default_factory=dict)
    sums: Counter[State] = field(default_factory=Counter)
    """Of all that is below it."""

    @property
    def name(self) -> str:
        """Its own name, for people."""
        return shown_name(self.path[-1]) if self.path else ""

    @property
    def names(self) -> Path:
        """The names in the template that lead to it."""
        return names_of(self.path)

    @property
    def is_old(self) -> bool:
        """Whether it is a version in whose place there is another."""
        return bool(self.path) and is_old(self.path[-1])

    @property
    def dotted(self) -> str:
        """The names that lead to it, for people."""
        return ".".join(map(shown_name, self.path))

    @property
    def doing(self) -> str:
        """What is, was or will be done to it: an action, or REPLACE; empty if it is unknown."""
        if self.state in (State.WAITING, State.UNTOUCHED):
            return self.step
        action = self.status.partition("_")[0]
        return "REPLACE" if action == "CREATE" and self.is_replacement else action


@dataclass(frozen=True, slots=True)
class Failed:
    """A resource that has failed, whatever has become of it since."""

    path: Path
    type: str
    status: str
    reason: str


class Progress:
    """One operation on one stack."""

    def __init__(self, stack_id: str, stack_name: str, action: str, began: float) -> None:
        self.action = action
        self.began = began
        self.name = stack_name
        self.top = Item((), "", State.RUNNING, since=began)
        self.running: dict[Path, Item] = {}
        self.failed: dict[Path, Item] = {}
        self.paused: dict[Path, Item] = {}
        self.ended: list[Item] = []
        """Leaves in the order in which they ended, for whoever learns from their times."""

        self._earlier: list[Failed] = []

        self._where = Whereabouts(stack_id)
        self._planned: set[Path] = set()
        self._ran: set[Path] = set()
        self._count = 0

    @property
    def total(self) -> int:
        """How many resources the operation touches, as far as is known."""
        return sum(self.top.sums[state] for state in IN_OPERATION)

    @property
    def finished(self) -> int:
        """How many of them need nothing any more."""
        return self.top.sums[State.DONE]

    def plan(self, steps: Iterable[tuple[Path, str, str, tuple[str, ...]]]) -> None:
        """Take note of what will happen: path, type, step, and the names of those that need it.

        A step is an action or REPLACE, empty if nothing happens.
        """
        for path, type_name, step, required_by in steps:
            if step == "DELETE" and path in self._planned:
                continue  # of the old one: the stack around it is replaced
            item = self._item(path)
            item.type = type_name or item.type
            item.step = step
            item.required_by = required_by
            item.is_replacement = step == "REPLACE"
            self._move(item, State.WAITING if step else State.UNTOUCHED)
            if step:
                self._planned.add(path)

    def tree(self, document: Mapping[str, Any], now: float, is_fresh: bool = True) -> None:
        """Take what the API says of the stack as a whole as the present state.

        If the operation is fresh, all its events are still to come, and what is complete is so from
        earlier ones. If not, what has been touched since it began belongs to it.
        """
        began = str(document.get("updated_time") or document.get("creation_time") or "")
        self._stack((), document, now, began, is_fresh)

    def _stack(
        self, path: Path, document: Mapping[str, Any], now: float, began: str, is_fresh: bool
    ) -> None:
        self._where.stack(document["id"], path)
        for resource in document.get("resources", ()):
            inner = (*path, resource["resource_name"])
            object_id = resource.get("physical_resource_id") or ""
            if _stands_for_none(resource, path):
                inner = self._where.replaced(inner, object_id)
            elif str(resource.get("creation_time", "")) >= began:
                self._where.begins(inner, object_id)
            else:
                self._where.stands(inner, object_id)
            item = self._item(inner)
            item.type = resource.get("resource_type") or item.type
            # What does not exist yet has dependents only in the plan.
            item.required_by = tuple(resource.get("required_by", ())) or item.required_by
            item.reason = resource.get("resource_status_reason") or ""
            if inner not in self._ran:  # events have said more where there were some
                is_ours = not is_fresh and str(resource.get("updated_time", "")) >= began
                self._observe(item, resource.get("resource_status", ""), now, is_ours)
            self._pause(item, resource.get("hook", ""))
            if "stack" in resource:
                self._stack(inner, resource["stack"], now, began, is_fresh)

    def _observe(self, item: Item, status: str, now: float, is_ours: bool) -> None:
        """Conclude from a status alone; ``is_ours``: this operation has brought it about."""
        action, _, word = status.partition("_")
        item.status = status
        item.step = item.step or self._expected(item, action)
        if word == "IN_PROGRESS":
            self._run(item, now)
        elif action == self.action == "DELETE" or (is_ours and action != "INIT"):
            self._move(item, state_of(word, item.reason))
        elif any(map(is_old, item.path)):
            is_going = self.action in (*_CHANGING, "DELETE")
            self._move(item, State.WAITING if is_going else State.UNTOUCHED)
        elif action == "INIT" or item.path in self._planned or self.action not in _CHANGING:
            self._move(item, State.WAITING)
        elif word == "FAILED" and not self._planned:
            self._move(item, State.WAITING)  # tried again
        else:
            self._move(item, State.UNTOUCHED)

    def _expected(self, item: Item, action: str) -> str:
        """Return what will be done to something that has not begun, empty if it is not known."""
        if self.action == "DELETE" or any(map(is_old, item.path)):
            return "DELETE"
        if action == "INIT":
            return "CREATE"
        return "" if self.action in _CHANGING else self.action

    def notice(self, document: Mapping[str, Any], path: Path = ()) -> Iterator[Item]:
        """Take from a tree what those say that are at work; yield those that say something new.

        Their states are left to the events, which bring them in their order.
        """
        for resource in document.get("resources", ()):
            inner = (*path, resource["resource_name"])
            if _stands_for_none(resource, path):
                inner = self._where.replaced(inner, resource.get("physical_resource_id") or "")
            item = self.item(inner)
            reason = resource.get("resource_status_reason") or ""
            if item is not None and item.status == resource.get("resource_status"):
                if item.state is State.RUNNING and item.reason != reason:
                    item.reason = reason
                    yield item
                item.required_by = tuple(resource.get("required_by", ())) or item.required_by
            if "stack" in resource:
                yield from self.notice(resource["stack"], inner)

    def awaited(self, item: Item) -> list[Item]:
        """Return what must end before something can begin that waits."""
        stack = self.item(item.path[:-1])
        if item.state is not State.WAITING or stack is None or not item.path or item.is_old:
            return []
        if item.step == "DELETE":
            others = [stack.children[name] for name in item.required_by if name in stack.children]
        else:
            own = item.path[-1]
            others = [each for each in stack.children.values() if own in each.required_by]
        return [each for each in others if each.state not in (State.DONE, State.UNTOUCHED)]

    def knows(self, event: Happening) -> bool:
        """Return whether it is known where the stack of an event belongs."""
        return self.path_of(event) is not None

    def path_of(self, event: Happening) -> Path | None:
        """Return the names that lead to what an event is about."""
        path = self._where.stack_of(event)
        return path if path is None or event.is_of_stack else (*path, event.name)

    def happened(self, event: Happening, now: float) -> Item | None:
        """Take an event; return what it was about, None if its place is unknown."""
        path = self.path_of(event)
        if path is None:
            return None
        if event.is_of_stack:
            item = self._item(path)
            if not path:
                item.status, item.reason = event.state, event.reason
            return item
        if event.action != "SIGNAL":
            path = self._place(event, path)
        item = self._item(path)
        item.type = event.type or item.type
        if event.action == "SIGNAL":
            return item  # a signal; what it causes has events of its own
        self._ran.add(path)
        item.reason = event.reason
        if self._is_about_a_hook(item, event):
            return item
        item.status = event.state
        if event.status == "IN_PROGRESS":
            self._run(item, now)
        else:
            self._end(item, state_of(event.status, event.reason, State.DONE), now)
        return item

    def _place(self, event: Happening, path: Path) -> Path:
        """Return the path of what an event is about: the resource, or an old version of it."""
        present = self.item(path)
        had_object = self._where.has_object(path)
        place = self._where.place(event, path, self.action)
        if place != path or present is None:
            return place
        if event.state == "CREATE_IN_PROGRESS":
            present.is_replacement |= had_object
        elif not had_object and self._is_about_an_old_version(present, event):
            return self._where.replaced(path, event.physical_id)
        return path

    def _is_about_a_hook(self, item: Item, event: Happening) -> bool:
        """Take an event of a hook: its status is the one that the resource has anyway."""
        met = _PAUSED.fullmatch(event.reason)
        if met is not None:
            self._pause(item, met[1])
            return True
        passed = _PASSED.fullmatch(event.reason)
        if passed is None:
            self._pause(item, "")
            return False
        self._pause(item, "")
        if passed[1].startswith("post-"):
            self._move(item, State.DONE)  # there is nothing more to do, and no event says so
        return True

    def _pause(self, item: Item, hook: str) -> None:
        item.hook = hook
        if hook:
            self.paused[item.path] = item
            self._move(item, State.WAITING)
        else:
            self.paused.pop(item.path, None)

    def _is_about_an_old_version(self, item: Item, event: Happening) -> bool:
        return (
            event.action == "DELETE"
            and self.action in _CHANGING
            and item.state in (State.DONE, State.UNTOUCHED)
            and not item.status.startswith("DELETE")
        )

    def failures(self) -> list[Failed]:
        """Return what has failed and is no stack, also before it began anew."""
        leaves = [item for item in self.failed.values() if not item.children]
        now = [Failed(item.names, item.type, item.status, item.reason) for item in leaves]
        return [*self._earlier, *now]

    def keep(self, paths: Iterable[Path]) -> None:
        """Take note of resources whose objects stay when they go."""
        for path in paths:
            self._item(path).is_kept = True

    def restart(self, action: str, now: float) -> None:
        """Begin anew: the stack goes on with another action, such as a rollback."""
        self._earlier = self.failures()
        self.action = action
        self.began = now
        for item in list(self.items()):
            self._pause(item, "")
            item.step, item.is_replacement = "", False
            if item.state is not State.UNTOUCHED:
                self._move(item, State.UNTOUCHED)
        self._planned.clear()
        self._ran.clear()

    def settle(self) -> None:
        """The operation is complete: what has not run by now need not run."""
        for item in list(self.items()):
            if item.state is State.WAITING:
                item.is_needless = True
                self._move(item, State.DONE)

    def items(self, below: Item | None = None) -> Iterator[Item]:
        """Yield everything, a nested stack before its resources."""
        for item in (below or self.top).children.values():
            yield item
            if item.children:
                yield from self.items(item)

    def item(self, path: Path) -> Item | None:
        """Return what is at a path, None if there is nothing."""
        item: Item | None = self.top
        for name in path:
            item = item.children.get(name) if item is not None else None
        return item

    def _item(self, path: Path) -> Item:
        item = self.top
        for depth, name in enumerate(path, 1):
            found = item.children.get(name)
            if found is None:
                self._count += 1
                found = Item(path[:depth], order=self._count)
                item.children[name] = found
                self._add(found, 1)
            item = found
        return item

    def _run(self, item: Item, now: float) -> None:
        if item.state is not State.RUNNING:
            item.since, item.took = now, None
            self._move(item, State.RUNNING)

    def _end(self, item: Item, state: State, now: float) -> None:
        if item.since is not None and item.took is None:
            item.took = now - item.since
            if not item.children:
                self.ended.append(item)
        self._move(item, state)

    def _move(self, item: Item, state: State) -> None:
        if item.state is state:
            return
        self._add(item, -1)
        item.state = state
        self._add(item, 1)

    def _add(self, item: Item, number: int) -> None:
        if item is self.top:
            return
        for state, known in ((State.RUNNING, self.running), (State.FAILED, self.failed)):
            if item.state is state:
                if number > 0:
                    known[item.path] = item
                else:
                    known.pop(item.path, None)
        above = self.top
        for name in item.path:
            above.sums[item.state] += number
            above = above.children[name]


def _stands_for_none(resource: Mapping[str, Any], path: Path) -> bool:
    """Return whether a row is an old version itself, and not only nested in one."""
    return bool(resource.get("is_old")) and not any(map(is_old, path))


def state_of(word: str, reason: str, otherwise: State = State.WAITING) -> State:
    """Return where something is that has a status and a reason."""
    if word == "FAILED" and _STOPPED.search(reason):
        return State.STOPPED
    return _STATES.get(word, otherwise)


def sums_text(sums: Mapping[State, int]) -> str:
    """Return "12 done, 3 running, 1 failed, 4 waiting"."""
    parts = [f"{sums[state]:,} {state.value}" for state in IN_OPERATION if sums[state]]
    if not parts and sums[State.UNTOUCHED]:
        return f"{sums[State.UNTOUCHED]:,} {State.UNTOUCHED.value}"
    return ", ".join(parts)
