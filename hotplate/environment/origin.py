"""Where a value of an environment was written, and what it took the place of."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from hotplate.document import Data, Document, Path, Position


@dataclass(frozen=True, slots=True)
class Given:
    """One place that gives a value: a file (or what stands for one) and a path in it."""

    file: str
    path: Path
    _document: Document = field(repr=False, compare=False)

    @property
    def position(self) -> Position | None:
        """Line and column, None for what arrived decoded. The first call reads the text again."""
        return self._document.locate(self.path)

    @property
    def value(self) -> Data:
        """What stands at this place, whether or not it is in effect."""
        value = self._document.data
        for step in self.path:
            value = value[step]  # type: ignore[index]
        return value

    def under(self, step: str | int) -> "Given":
        """Return the place one step deeper."""
        return Given(self.file, (*self.path, step), self._document)

    def __str__(self) -> str:
        position = self.position
        return str(position) if position else self.file


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Places, newest first; linked, so that a long list of files does not cost its square."""

    newest: Given
    older: "Places | None" = None

    def __iter__(self) -> Iterator[Given]:
        places: Places | None = self
        while places is not None:
            yield places.newest
            places = places.older

    def before(self, older: "Places") -> "Places":
        """Return these places with older ones after them."""
        result = older
        for given in reversed(list(self)):
            result = Places(given, result)
        return result

    def under(self, step: str | int) -> "Places":
        """Return the same places, each one step deeper."""
        *newer, oldest = (given.under(step) for given in self)
        result = Places(oldest)
        for given in reversed(newer):
            result = Places(given, result)
        return result


@dataclass(frozen=True, slots=True)
class Origin:
    """How a value in effect came about.

    ``contributors`` are the places it is made of, newest first: one, unless maps were merged or a
    merge strategy put several values together. ``overridden`` are the places whose values it
    replaced, newest first.
    """

    contributors: tuple[Given, ...]
    overridden: tuple[Given, ...] = ()

    @property
    def file(self) -> str:
        """The file that had the last word."""
        return self.contributors[0].file

    @property
    def path(self) -> Path:
        """The path of the value in that file."""
        return self.contributors[0].path

    @property
    def position(self) -> Position | None:
        """The place in that file, None for what arrived decoded."""
        return self.contributors[0].position

    def __str__(self) -> str:
        return str(self.contributors[0])
