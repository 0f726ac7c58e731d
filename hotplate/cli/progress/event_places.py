"""Where in the tree of a stack events belong: to a resource, or to an old version of it."""

import re

from hotplate.client import Happening

Path = tuple[str, ...]

_OLD = "\x1fold"
"""Follows the name of a resource in the path of an old version: no name has it."""

_MARK = re.compile(f"{_OLD}\\d*$")


def is_old(name: str) -> bool:
    """Return whether the last part of a path is that of an old version."""
    return _MARK.search(name) is not None


def shown_name(name: str) -> str:
    """Return a part of a path as people read it."""
    return _MARK.sub(" (old)", name)


def names_of(path: Path) -> Path:
    """Return the names in the template that lead to something."""
    return tuple(_MARK.sub("", name) for name in path)


class Whereabouts:
    """Knows the paths of stacks by their ids, and which object stands for a resource.

    An event is about an old version if its object is not the one that stands there.
    """

    def __init__(self, stack_id: str) -> None:
        self._stacks: dict[str, Path] = {stack_id: ()}
        self._objects: dict[Path, str] = {}
        self._old: dict[str, Path] = {}
        """Paths of old versions by their objects."""

        self._deleted: set[str] = set()

    def stack(self, stack_id: str, path: Path) -> None:
        """Take note where a stack is."""
        self._stacks[stack_id] = path

    def stands(self, path: Path, object_id: str) -> None:
        """Take note which object a resource is."""
        if not object_id:
            return
        old = self._old.pop(object_id, None)
        if old is not None:
            self._move(old, path)
        self._stacks.setdefault(object_id, path)
        self._objects[path] = object_id

    def begins(self, path: Path, object_id: str) -> None:
        """Take note where a stack is whose first event is still to come."""
        if object_id:
            self._stacks.setdefault(object_id, path)

    def has_object(self, path: Path) -> bool:
        """Return whether it is known which object a resource is."""
        return path in self._objects

    def replaced(self, path: Path, object_id: str) -> Path:
        """Take note of an old version of a resource; return the path it has."""
        known = self._old.get(object_id)
        if known is not None:
            return known
        others = sum(1 for each in self._old.values() if names_of(each) == names_of(path))
        number = str(others + 1) if others else ""
        old = (*path[:-1], f"{path[-1]}{_OLD}{number}")
        if object_id:
            self._old[object_id] = old
            self._stacks.setdefault(object_id, old)
        return old

    def stack_of(self, event: Happening) -> Path | None:
        """Return where the stack of an event is, None if it is unknown."""
        path = self._stacks.get(event.stack_id)
        if path is None:
            # A resource that is a stack has the stack's name before it has its id.
            path = self._stacks.get(event.stack_name)
            if path is not None:
                self._stacks[event.stack_id] = path
        return path

    def place(self, event: Happening, path: Path, action: str) -> Path:
        """Return where an event of the resource at a path belongs; ``action``: of the stack."""
        object_id, present = event.physical_id, self._objects.get(path)
        if event.action == "DELETE":
            return self._place_of_deletion(event, path, action, present)
        if event.action == "CREATE" and event.status == "IN_PROGRESS":
            # It may have the name that its object will have, and not yet its id.
            if present is not None:
                self._retire(path, present)
            self.begins(path, object_id)
            return path
        if object_id and present not in (None, object_id):
            self._retire(path, present or "")
        self.stands(path, object_id)
        return path

    def _place_of_deletion(
        self, event: Happening, path: Path, action: str, present: str | None
    ) -> Path:
        object_id = event.physical_id
        if event.status == "COMPLETE":
            self._deleted.add(object_id)
        if object_id in self._old:
            return self._old[object_id]
        if present is None or action == "DELETE":
            return path
        if present != object_id:
            return self.replaced(path, object_id)
        former = [
            each
            for each, old in self._old.items()
            if names_of(old) == path and each not in self._deleted
        ]
        if action == "ROLLBACK" and former:
            # What was to take its place goes, and what was there before stays.
            self._retire(path, object_id)
            self.stands(path, former[-1])
            return self._old[object_id]
        return path

    def _retire(self, path: Path, object_id: str) -> None:
        """Let the object of a resource be an old version, with all that is nested in it."""
        self._objects.pop(path, None)
        self._move(path, self.replaced(path, object_id))

    def _move(self, source: Path, target: Path) -> None:
        depth = len(source)
        for stack_id, place in self._stacks.items():
            if place[:depth] == source:
                self._stacks[stack_id] = (*target, *place[depth:])
        for place in [each for each in self._objects if each[:depth] == source]:
            self._objects[(*target, *place[depth:])] = self._objects.pop(place)
