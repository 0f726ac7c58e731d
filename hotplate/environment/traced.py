"""Values that remember where they came from while environments are merged."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from hotplate.document import Data, Document, Path
from hotplate.environment.origin import Given, Origin, Places

Parts = Mapping[str | int, "Traced"]


@dataclass(frozen=True, slots=True, eq=False)
class Traced:
    """A value, the places that give it, and the value it took the place of.

    ``parts`` is None as long as the whole value comes from one place: then ``plain`` holds it.
    Otherwise ``parts`` holds the items of a map by key, or of a list by index, each with its own
    places, and ``plain`` is an empty collection of the same kind.
    """

    given: Places
    plain: Data
    parts: Parts | None = None
    before: "Traced | None" = None
    is_inside_text: bool = False
    """The value was read out of a text, so nothing below it has a path of its own."""

    @property
    def is_map(self) -> bool:
        """Whether it is a map, whatever is in it."""
        return isinstance(self.plain, dict)

    @property
    def is_list(self) -> bool:
        """Whether it is a list, whatever is in it."""
        return isinstance(self.plain, list)

    @property
    def is_null(self) -> bool:
        """Whether it is null."""
        return self.plain is None

    @property
    def is_empty(self) -> bool:
        """Whether it is null, or a text or a collection with nothing in it."""
        if self.parts is not None:
            return not self.parts
        return self.plain is None or self.plain in ("", {}, [])

    def data(self) -> Data:
        """Return the value as plain data. It may share parts with documents: do not change it."""
        if self.parts is None:
            return self.plain
        if self.is_map:
            return {str(key): part.data() for key, part in self.parts.items()}
        return [part.data() for part in self.parts.values()]

    def expanded(self) -> dict[str | int, "Traced"]:
        """Return the parts of a map or list; empty for any other value."""
        if self.parts is not None:
            return dict(self.parts)
        steps: Iterable[str | int] = ()
        if isinstance(self.plain, dict):
            steps = self.plain
        elif isinstance(self.plain, list):
            steps = range(len(self.plain))
        return {step: part for step in steps if (part := self.part(step))}

    def part(self, step: str | int) -> "Traced | None":
        """Return one part, with what stood at the same step in the values overridden before."""
        own = self._own_part(step)
        if own is None or self.parts is not None or self.before is None:
            return own
        earlier = [part for node in self._history() if (part := node._own_part(step))]
        history = [node for part in earlier for node in (part, *part._history())]
        return replace(own, before=_chained(history))

    def origin(self) -> Origin:
        """Return how this value came about."""
        return Origin(tuple(self.given), tuple(g for node in self._history() for g in node.given))

    def leaves(self, path: Path = ()) -> Iterator[tuple[Path, "Traced"]]:
        """Yield every value that is not a map with something in it, with its path."""
        if self.is_map and not self.is_empty:
            for key, part in self.expanded().items():
                yield from part.leaves((*path, key))
        else:
            yield path, self

    def _history(self) -> Iterator["Traced"]:
        node = self.before
        while node is not None:
            yield node
            node = node.before

    def _own_part(self, step: str | int) -> "Traced | None":
        if self.parts is not None:
            return self.parts.get(step)
        if isinstance(self.plain, dict) and step in self.plain:
            return self._part(step, self.plain[str(step)])
        if isinstance(self.plain, list) and isinstance(step, int) and 0 <= step < len(self.plain):
            return self._part(step, self.plain[step])
        return None

    def _part(self, step: str | int, value: Data) -> "Traced":
        given = self.given if self.is_inside_text else self.given.under(step)
        return Traced(given, value, is_inside_text=self.is_inside_text)


def traced(document: Document, path: Path, value: Data) -> Traced:
    """Return a value that a document gives at the path."""
    return Traced(Places(Given(document.name, path, document)), value)


def of_parts(parts: Parts, given: Places, is_map: bool = True) -> Traced:
    """Return a map or list made of parts that come from the given places."""
    return Traced(given, {} if is_map else [], parts)


def overriding(new: Traced, old: Traced | None) -> Traced:
    """Return the new value, remembering the old one and all that the old one overrode."""
    if old is None:
        return new
    if new.before is None:
        return replace(new, before=old)
    return replace(new, before=_chained([*new._history(), old, *old._history()]))


def _chained(newest_first: list[Traced]) -> Traced | None:
    chain: Traced | None = None
    for node in reversed(newest_first):
        chain = replace(node, before=chain)
    return chain


def updated(old: Traced | None, new: Traced, newest_last: bool = False) -> Traced:
    """Return the old value updated by the new one exactly as python-heatclient merges files.

    Maps merge key by key, everything else is replaced; a null does not replace a map. Where
    heatclient fails (a map over a text, a number or a list), the map replaces.

    With ``newest_last`` a replaced key moves to the end of its map, so that the order of keys is
    the order in which they were last given.
    """
    if old is None or old.is_null:
        return overriding(new, old)
    if new.is_map and old.is_map:
        parts = old.expanded()
        for key, item in new.expanded().items():
            was = old.part(key)
            now = updated(was, item, newest_last)
            if newest_last and now is not was and not now.is_map:
                parts.pop(key, None)
            parts[key] = now
        return Traced(new.given.before(old.given), {}, parts, old.before)
    if new.is_map and new.is_empty:
        return old
    if new.is_null and old.is_map:
        return old
    return overriding(new, old)
