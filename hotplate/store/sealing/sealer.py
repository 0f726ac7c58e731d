"""Who seals and opens: the data keys of projects, unwrapped once, and what they do to values.

A data key is made by the first transaction that writes for a project. Until that has committed,
only itself uses the key: others would seal with a key that may never be stored.
"""

import re
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from sqlalchemy import Connection

from hotplate.store.sealing import data_keys
from hotplate.store.sealing.data_keys import INDEX, MASTER, SEALING, StoredKey
from hotplate.store.sealing.errors import CannotOpen, KeyMissing
from hotplate.store.sealing.key_file import KeyFile
from hotplate.store.sealing.recent import Recent

if TYPE_CHECKING:
    # Loaded by whoever seals or opens: lists of stacks need none of it.
    from hotplate.store.sealing.ciphers import IndexKey, SealingKey

OPTION: Final = "hotplate_sealer"
"""The option of an engine, and of its connections, that holds the sealer."""

READS: Final = "hotplate_reads"
"""The option of engines that refuse to write."""

_PREFIX: Final = "$1$"
_EMPTY: Final = frozenset(("{}", "[]", "", "null", "true", "false"))
"""Values that stay as they are: they tell nothing."""

_LONGEST_EMPTY: Final = max(map(len, _EMPTY))

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_REMEMBERED: Final = 8192
_PORTION: Final = 65_536
"""Uses of a data key that a process notes at a time."""

_FEWEST_NONCES: Final = 8
_MOST_NONCES: Final = 256
"""Nonces that a transaction draws at a time: few at first, as most of them seal little."""

_MOST_USES: Final = 1 << 30
"""Random nonces of 96 bits stay apart for 2**32 uses of a key."""

_LONGEST_USE: Final = 90 * 86_400.0


class _ProjectKeys:
    """The keys of one project in memory."""

    __slots__ = ("digests", "index", "left", "sealing", "stored")

    def __init__(self, index: "IndexKey", sealing: "SealingKey") -> None:
        self.index = index
        self.sealing = sealing
        self.left = 0
        self.stored: dict[str, str] = {}
        self.digests: dict[str, str] = {}


class Sealer:
    """The keys that a process has. Any thread may use it, each with its own connection."""

    def __init__(self, file: KeyFile, clock: Callable[[], float] = time.time) -> None:
        self.file = file
        self._clock = clock
        self.opening: dict[tuple[str, str], SealingKey] = {}
        """Sealing keys by project and id."""

        self.recent = Recent()
        self._projects: dict[str, _ProjectKeys] = {}
        self._new: WeakKeyDictionary[Any, dict[str, _ProjectKeys]] = WeakKeyDictionary()

    def check(self, connection: Connection) -> None:
        """See whether the key file has all master keys that the database names.

        The first to come makes the file if need be, and notes its key in the database: whoever
        comes with another file is refused. Raises KeyMissing or KeyRefused.
        """
        known = data_keys.masters(connection)
        if not known:
            self.file.make()
            self._make(connection, "", MASTER, 1)
            known = data_keys.masters(connection)
        for master_id in sorted(known):
            if master_id not in self.file.keys:
                raise self._missing(connection, master_id)

    def seals(self, connection: Connection, project: str) -> "Seals":
        """Return what seals and opens values of a project in this transaction."""
        return _Sealing(self, connection, project)

    def sealing_key(self, connection: Connection, project: str, key_id: str) -> "SealingKey | None":
        """Return a data key of a project by its id; None if the project has no such key."""
        found = self.opening.get((project, key_id))
        if found is None:
            stored = data_keys.by_id(connection, key_id)
            if stored is None or stored.project != project or stored.purpose != SEALING:
                return None
            found = self._unwrapped(connection, stored)
            self.opening[project, key_id] = found
            # A newer key than the present one: from now on it seals.
            self._projects.pop(project, None)
        return found

    def keys(self, connection: Connection, project: str, may_make: bool) -> _ProjectKeys | None:
        """Return the present keys of a project; None if there are none and none may be made."""
        found = self._projects.get(project)
        if found is not None:
            return found
        new = self._new.get(connection.get_transaction(), {})
        if project in new:
            return new[project]
        index, sealing = self._stored(connection, project)
        if index is not None and sealing is not None:
            found = self._loaded(connection, index, sealing)
            self._projects[project] = found
            return found
        return self._made(connection, project) if may_make else None

    def is_at_hand(self, project: str, uses: int) -> bool:
        """Tell whether the keys of a project are known, and good for so many uses."""
        found = self._projects.get(project)
        return found is not None and found.left >= uses

    def renew(self, connection: Connection, project: str) -> _ProjectKeys:
        """Return the keys of a project with uses left; a key that was used enough is followed."""
        index, sealing = self._stored(connection, project)
        if index is None or sealing is None:
            found = self._made(connection, project)
        else:
            is_old = self._clock() - sealing.created_at > _LONGEST_USE
            if is_old or sealing.uses >= _MOST_USES:
                self.follow(connection, project)
                found = self._made(connection, project)
            else:
                found = self._present(connection, project, index, sealing)
        data_keys.use(connection, found.sealing.id, _PORTION)
        found.left = _PORTION
        return found

    def _present(
        self, connection: Connection, project: str, index: StoredKey, sealing: StoredKey
    ) -> _ProjectKeys:
        new = self._new.get(connection.get_transaction(), {}).get(project)
        if new is not None:
            return new
        found = self._projects.get(project)
        if found is None or found.sealing.id != sealing.id:
            found = self._projects[project] = self._loaded(connection, index, sealing)
        return found

    def follow(self, connection: Connection, project: str) -> str:
        """Store a new sealing key for a project, wrapped with the first master; return its id.

        The old ones stay: what they sealed is still opened with them.
        """
        numbers = [
            each.number for each in data_keys.of_project(connection, project) if _seals(each)
        ]
        made = self._make(connection, project, SEALING, max(numbers, default=0) + 1)
        self._projects.pop(project, None)
        return made.id

    def rewrap(self, connection: Connection, stored: StoredKey) -> bool:
        """Wrap a stored data key with the first master key; tell whether it had another one."""
        from hotplate.store.sealing.ciphers import wrap  # noqa: PLC0415

        master_id, master = self.file.first
        if stored.master_id == master_id:
            return False
        wrapped = wrap(master, self._key(connection, stored), stored.bound)
        return data_keys.rewrap(connection, stored, master_id, wrapped)

    def _stored(
        self, connection: Connection, project: str
    ) -> tuple[StoredKey | None, StoredKey | None]:
        found: dict[str, StoredKey] = {}
        for each in data_keys.of_project(connection, project):
            found[each.purpose] = each
        return found.get(INDEX), found.get(SEALING)

    def _loaded(self, connection: Connection, index: StoredKey, sealing: StoredKey) -> _ProjectKeys:
        from hotplate.store.sealing.ciphers import IndexKey  # noqa: PLC0415

        return _ProjectKeys(
            IndexKey(self._key(connection, index)), self._unwrapped(connection, sealing)
        )

    def _made(self, connection: Connection, project: str) -> _ProjectKeys:
        """Make what is missing; until this transaction has committed, only it uses the keys."""
        index, sealing = self._stored(connection, project)
        index = index or self._make(connection, project, INDEX, 1)
        sealing = sealing or self._make(connection, project, SEALING, 1)
        made = self._loaded(connection, index, sealing)
        self._new.setdefault(connection.get_transaction(), {})[project] = made
        return made

    def _make(self, connection: Connection, project: str, purpose: str, number: int) -> StoredKey:
        """Store a new data key unless another process was faster; return the one that is stored."""
        from hotplate.store.sealing.ciphers import wrap  # noqa: PLC0415

        master_id, master = self.file.first

        def new() -> StoredKey:
            return data_keys.drawn(
                project,
                purpose,
                number,
                master_id,
                self._clock(),
                lambda key, at: wrap(master, key, at),
            )

        return data_keys.insert(connection, new)

    def _unwrapped(self, connection: Connection, stored: StoredKey) -> "SealingKey":
        from hotplate.store.sealing.ciphers import SealingKey  # noqa: PLC0415

        return SealingKey(stored.id, self._key(connection, stored))

    def _key(self, connection: Connection, stored: StoredKey) -> bytes:
        from hotplate.store.sealing.ciphers import NotOpened, unwrap  # noqa: PLC0415

        if stored.master_id not in self.file.keys:
            # It may have been added while this process was running.
            self.file.read_again()
        master = self.file.keys.get(stored.master_id)
        if master is None:
            raise self._missing(connection, stored.master_id)
        try:
            return unwrap(master, stored.wrapped, stored.bound)
        except NotOpened:
            raise KeyMissing(
                f"the master key {stored.master_id} of {self.file.path} does not open the data "
                f"key {stored.id} of {_shown(connection)}: it is another key of the same id, or "
                "the row was changed; put the right key file there, or restore the row"
            ) from None

    def _missing(self, connection: Connection, master_id: str) -> KeyMissing:
        where = (
            f"which is not in the key file {self.file.path}"
            if self.file.keys
            else f"and there is no key file {self.file.path}"
        )
        return KeyMissing(
            f"{_shown(connection)} is sealed with the master key {master_id}, {where}; put the "
            "file with that key there, from its copy or from another server, or name it with "
            "--key-file"
        )


class Seals:
    """What is done to values of one project on their way to the database and back.

    This one does nothing: for databases that are not sealed.
    """

    __slots__ = ()

    def is_at_hand(self, uses: int) -> bool:
        """Tell whether so many texts can be sealed without a question to the database."""
        return True

    def seal(self, place: str, row: object, text: str) -> str:
        """Return a text as it is stored in a column, ``place``, of a row."""
        return text

    def seal_all(
        self, row: object, texts: Iterable[tuple[str, str | None]], is_remembered: bool = True
    ) -> list[str | None]:
        """Return texts as they are stored in columns of one row; what is None stays None.

        Costs less than each of them by itself. ``is_remembered``: somebody soon reads or writes the
        row again.
        """
        return [text for _, text in texts]

    def open(self, place: str, row: object, text: str) -> str:
        """Return what was stored there. Raises CannotOpen."""
        return text

    def stored(self, digest: str) -> str:
        """Return a digest as it is stored; what is no digest stays what it is."""
        return digest

    def digest(self, stored: str) -> str:
        """Return the digest that was stored. Raises CannotOpen."""
        return stored

    def stored_for(self, place: str, row: object, digest: str, is_remembered: bool = True) -> str:
        """Return a digest as it is stored in one row only."""
        return digest

    def digest_for(self, place: str, row: object, stored: str) -> str:
        """Return the digest that was stored in that row. Raises CannotOpen."""
        return stored

    def mark(self, purpose: str, text: str) -> str:
        """Return what a text that is stored sealed is found by, in a column of its own."""
        from hashlib import blake2b  # noqa: PLC0415  # seldom needed

        return blake2b(text.encode(), person=purpose.encode()[:16], digest_size=32).hexdigest()


PLAIN: Final = Seals()
"""Seals nothing."""


class _Sealing(Seals):
    """Seals and opens values of one project, in one transaction and thread."""

    __slots__ = ("_connection", "_drawn", "_keys", "_nonces", "_project", "_sealer")

    def __init__(self, sealer: Sealer, connection: Connection, project: str) -> None:
        if not project:
            raise AssertionError("what is sealed belongs to a project")
        self._sealer = sealer
        self._connection = connection
        self._project = project
        self._keys: _ProjectKeys | None = None
        self._nonces: list[bytes] = []
        self._drawn = _FEWEST_NONCES // 4

    def is_at_hand(self, uses: int) -> bool:
        return self._sealer.is_at_hand(self._project, uses)

    def seal(self, place: str, row: object, text: str) -> str:
        (sealed,) = self.seal_all(row, ((place, text),))
        return text if sealed is None else sealed

    def seal_all(
        self, row: object, texts: Iterable[tuple[str, str | None]], is_remembered: bool = True
    ) -> list[str | None]:
        # All rows that are written come here: what their columns share is done once.
        recent, bound_to = self._sealer.recent, f"|{row}|{self._project}"
        found: list[str | None] = []
        for place, text in texts:
            if text is None or (len(text) <= _LONGEST_EMPTY and text in _EMPTY):
                found.append(text)
                continue
            keys = self._keys or self._loaded()
            if keys is None or keys.left <= 0:
                keys = self._keys = self._sealer.renew(self._connection, self._project)
            bound, key = place + bound_to, keys.sealing
            known = recent.get(bound)
            if known is not None and known[0] == text and known[2] == key.id:
                found.append(known[1])
                continue
            keys.left -= 1
            nonces = self._nonces or self._drawn_nonces()
            sealed = key.seal(text, bound, nonces.pop())
            if is_remembered:
                recent.note(bound, text, sealed, key.id)
            found.append(sealed)
        return found

    def open(self, place: str, row: object, text: str) -> str:
        if text[:3] != _PREFIX:
            return text
        bound, recent = f"{place}|{row}|{self._project}", self._sealer.recent
        known = recent.get(bound)
        if known is not None and known[1] == text:
            return known[0]
        key_id, _, body = text[3:].partition("$")
        key = self._sealer.opening.get((self._project, key_id)) or self._sealer.sealing_key(
            self._connection, self._project, key_id
        )
        if key is None:
            raise CannotOpen(place, row)
        try:
            opened = key.open(body, bound)
        except Exception as error:
            raise _refused(error, place, row) from None
        recent.note(bound, opened, text, key_id)
        return opened

    def stored(self, digest: str) -> str:
        keys = self._keys or self._loaded()
        if keys is None:
            return digest
        found = keys.stored.get(digest)
        if found is None:
            if _DIGEST.fullmatch(digest) is None:
                return digest
            found = keys.index.encrypt(digest, f"digest|{self._project}")
            _remember(keys.stored, digest, found)
        return found

    def digest(self, stored: str) -> str:
        keys = self._keys or self._loaded()
        if keys is None:
            return stored
        found = keys.digests.get(stored)
        if found is None:
            if len(stored) != 64 or _DIGEST.fullmatch(stored):
                return stored
            try:
                found = keys.index.decrypt(stored, f"digest|{self._project}")
            except Exception as error:
                raise _refused(error, "recipe|digest", stored) from None
            _remember(keys.digests, stored, found)
        return found

    def stored_for(self, place: str, row: object, digest: str, is_remembered: bool = True) -> str:
        if len(digest) != 64:
            return digest
        keys = self._keys or self._loaded()
        if keys is None:
            return digest
        bound, recent = f"{place}|{row}|{self._project}", self._sealer.recent
        known = recent.get(bound)
        if known is not None and known[0] == digest:
            return known[1]
        stored = keys.index.encrypt(digest, bound)
        if is_remembered:
            recent.note(bound, digest, stored)
        return stored

    def digest_for(self, place: str, row: object, stored: str) -> str:
        if len(stored) != 64:
            return stored
        keys = self._keys or self._loaded()
        if keys is None:
            return stored
        bound, recent = f"{place}|{row}|{self._project}", self._sealer.recent
        known = recent.get(bound)
        if known is not None and known[1] == stored:
            return known[0]
        try:
            digest = keys.index.decrypt(stored, bound)
        except Exception as error:
            if _DIGEST.fullmatch(stored):
                return stored
            raise _refused(error, place, row) from None
        recent.note(bound, digest, stored)
        return digest

    def mark(self, purpose: str, text: str) -> str:
        keys = self._keys or self._loaded()
        return "" if keys is None else keys.index.mark(purpose, text)

    def _drawn_nonces(self) -> list[bytes]:
        from hotplate.store.sealing.ciphers import nonces  # noqa: PLC0415

        self._drawn = min(4 * self._drawn, _MOST_NONCES)
        self._nonces = nonces(self._drawn)
        return self._nonces

    def _loaded(self) -> _ProjectKeys | None:
        may_make = not self._connection.get_execution_options().get(READS)
        self._keys = self._sealer.keys(self._connection, self._project, may_make)
        return self._keys


def seals_of(connection: Connection, project: str) -> Seals:
    """Return what seals and opens the values of a project on this connection."""
    sealer: Sealer | None = connection.get_execution_options().get(OPTION)
    return PLAIN if sealer is None else sealer.seals(connection, project)


def _refused(error: Exception, place: str, row: object) -> Exception:
    from hotplate.store.sealing.ciphers import NotOpened  # noqa: PLC0415

    return CannotOpen(place, row) if isinstance(error, NotOpened) else error


def _remember(known: dict[str, str], key: str, value: str) -> None:
    if len(known) >= _REMEMBERED:
        known.clear()
    known[key] = value


def _seals(stored: StoredKey) -> bool:
    return stored.purpose == SEALING


def _shown(connection: Connection) -> str:
    return f"the database {connection.engine.url.render_as_string(hide_password=True)}"


def projects_of(stored: Sequence[StoredKey]) -> list[str]:
    """Return the projects that have sealing keys, in order."""
    return sorted({each.project for each in stored if _seals(each)})
