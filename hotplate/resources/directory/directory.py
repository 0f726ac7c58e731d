"""The provider: a directory whose files are the objects.

An object is one file: a line of JSON that says whose it is, then the content. Being one file, it
is created, changed and deleted in one step each, and a crash leaves the old state or the new one.
Whatever was answered is on the disk.

Before a change the lease is checked: after the draft is written, and right
before that becomes the object. A process that is stopped in between wakes up without its draft, if
another one has searched the object meanwhile; so it never makes an object that is not recorded.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import token_hex
from typing import Final
from urllib.parse import quote

from hotplate.resources.lease import confirm

_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}")
"""What an id may look like: no separator and no dot in front, so it never leads elsewhere."""

_FORMAT: Final = 1


class NotAnObject(ValueError):
    """The id or the file is none of ours."""


@dataclass(frozen=True, slots=True)
class Object:
    """One object as it is on the disk."""

    id: str
    creation_token: str
    kind: str
    content: str
    tags: Mapping[str, str] = field(default_factory=dict)
    modified: float = 0
    """Seconds since 1970; given by the directory."""

    @property
    def size(self) -> int:
        """How many bytes the content has."""
        return len(self.content.encode())


class Directory:
    """Creates, changes, finds and deletes objects. Any number of processes may use one.

    Calls block until the disk has answered; call them in a thread. Without ``is_made`` it is for
    looking only: the directory need not be there. ``by_project``: each project has its objects in
    a folder of its own, see `of`.
    """

    def __init__(self, path: Path | str, is_made: bool = True, by_project: bool = False) -> None:
        self.path = Path(path)
        self._is_made = is_made
        self._by_project = by_project
        if is_made:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)

    def of(self, project: str, object_id: str | None = None, token: str = "") -> "Directory":
        """Return the directory of a project.

        An object that was made before projects had folders is moved into it when its owner, who
        knows its creation token, asks for it.
        """
        if not self._by_project:
            return self
        # A dot cannot begin the id of an object, and nothing but letters is left of a separator.
        own = Directory(
            self.path / f".project-{quote(project, safe='').replace('.', '%2E')}", self._is_made
        )
        if object_id is not None and self._is_made and _NAME.fullmatch(object_id):
            with suppress(NotAnObject, FileNotFoundError):
                if self.path_of(object_id).exists() and not own.path_of(object_id).exists():
                    old = self.read(object_id)
                    if old is not None and old.creation_token == token:
                        self.path_of(object_id).rename(own.path_of(object_id))
        return own

    @staticmethod
    def id_for(label: str, creation_token: str) -> str:
        """Return an id that people recognise; its end, the creation token, lets it be found."""
        readable = re.sub(r"[^A-Za-z0-9_.-]|^[.-]", "_", label)[:150]
        return f"{readable or '_'}-{creation_token}"

    def create(self, new: Object) -> None:
        """Write an object that does not exist yet. Raises FileExistsError."""
        target = self.path_of(new.id)
        # Unlike a rename, a link never puts anything in another's place.
        self._publish(new, lambda draft: os.link(draft, target))
        self._sync()

    def replace(self, changed: Object) -> None:
        """Replace the object with its id and creation token. Raises FileNotFoundError."""
        target = self.path_of(changed.id)
        present = self.read(changed.id)
        if present is None or present.creation_token != changed.creation_token:
            raise FileNotFoundError(target)
        self._publish(changed, lambda draft: draft.rename(target))
        self._drop_drafts(changed.id)
        self._sync()

    def adopt(self, object_id: str, creation_token: str) -> None:
        """Put another creation token on an object that exists. Raises FileNotFoundError."""
        target = self.path_of(object_id)
        present = self.read(object_id)
        if present is None:
            raise FileNotFoundError(target)
        if present.creation_token == creation_token:
            return
        self._publish(
            replace(present, creation_token=creation_token), lambda draft: draft.rename(target)
        )
        self._sync()

    def delete(self, object_id: str, creation_token: str) -> bool:
        """Delete an object; False if it is deleted already or has another creation token."""
        present = self.read(object_id)
        is_ours = present is not None and present.creation_token == creation_token
        confirm()
        if is_ours:
            self.path_of(object_id).unlink(missing_ok=True)
        self._drop_drafts(object_id)
        self._sync()
        return is_ours

    def read(self, object_id: str) -> Object | None:
        """Return an object, None if there is none of that id. Raises NotAnObject."""
        path = self.path_of(object_id)
        try:
            with open(path, "rb", opener=_not_through_links) as stream:
                modified = os.fstat(stream.fileno()).st_mtime
                head, content = stream.readline(), stream.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise NotAnObject(f"{path} is not an object: {error.strerror}") from None
        try:
            said = json.loads(head)
            return Object(
                object_id, said["mark"], said["kind"], content.decode(), said["tags"], modified
            )
        except (ValueError, LookupError, TypeError):
            raise NotAnObject(f"{path} is not an object: it does not begin as one") from None

    def find(self, creation_token: str) -> Object | None:
        """Return the object with a creation token, None if there is none.

        A draft of it is deleted: a process that still writes it does not finish.
        """
        confirm()
        for name in os.listdir(self.path):
            if name.startswith(".") and f"-{creation_token}." in name:
                (self.path / name).unlink(missing_ok=True)
        for name in os.listdir(self.path):
            if name.endswith(f"-{creation_token}"):
                return self.read(name)
        return None

    def objects(self) -> Iterator[Object]:
        """Yield all objects, by id; files that are none are left out."""
        for name in sorted(os.listdir(self.path)):
            with suppress(NotAnObject):
                found = self.read(name)
                if found is not None:
                    yield found

    def path_of(self, object_id: str) -> Path:
        """Return where an object is or would be. Raises NotAnObject for what is not an id."""
        if not _NAME.fullmatch(object_id):
            raise NotAnObject(f"{object_id!r} cannot be the id of an object")
        return self.path / object_id

    def _publish(self, item: Object, put: Callable[[Path], object]) -> None:
        """Let a draft become the object, if the lease still allows it. Raises LeaseLost."""
        draft = self._draft(item)
        try:
            confirm()
            put(draft)
        finally:
            draft.unlink(missing_ok=True)

    def _draft(self, item: Object) -> Path:
        """Write a file that is not listed yet, down to the disk."""
        path = self.path / f".{item.id}.{token_hex(8)}"
        head = {
            "hotplate": _FORMAT,
            "mark": item.creation_token,
            "kind": item.kind,
            "tags": dict(item.tags),
        }
        with open(path, "xb", opener=_private) as stream:
            stream.write(json.dumps(head).encode() + b"\n" + item.content.encode())
            stream.flush()
            os.fsync(stream.fileno())
        return path

    def _drop_drafts(self, object_id: str) -> None:
        """Remove what a process left that died while it was writing."""
        for name in os.listdir(self.path):
            if name.startswith(f".{object_id}."):
                (self.path / name).unlink(missing_ok=True)

    def _sync(self) -> None:
        """Make names that were added, changed or removed survive a power failure."""
        folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o600)


def _not_through_links(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW)


def objects(directory: Path | str) -> list[Object]:
    """Return all objects in a directory, for tests and tools."""
    return list(Directory(directory).objects())
