"""What a stack is made of, put together from loose files: those that a user drops somewhere."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import unquote, urlsplit

from hotplate.client.files import Discovered, Reference, discover
from hotplate.client.references import (
    folder_of,
    references_of_environment,
    references_of_template,
)
from hotplate.document import Data, InvalidDocument, Problem, parse
from hotplate.environment.identity import common_end
from hotplate.environment.names import SECTIONS

_ROOT = "file:///"
_SCHEMES = ("file", "http", "https")
_VERSIONS = ("heat_template_version", "HeatTemplateFormatVersion", "AWSTemplateFormatVersion")
_TEXTS = (".yaml", ".yml", ".json", ".template", ".env", "")

TEMPLATE, ENVIRONMENT, OTHER = "template", "environment", "file"


@dataclass(frozen=True, slots=True)
class GatheredRecipe:
    """The fields of a request. ``sources`` has the given name of everything in ``files``."""

    template: str
    files: Mapping[str, str]
    environment_files: tuple[str, ...]
    sources: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was found in loose files.

    ``kinds`` says of each given file whether it is a template, an environment or any other file.
    ``template`` is empty if it was not named and is not clear. ``used`` are the template, the
    environments and what they name. ``missing`` are files that others
    name and nobody gave, each with what names it. ``recipe`` is None unless all is there.
    """

    kinds: Mapping[str, str]
    template: str
    environments: tuple[str, ...]
    used: tuple[str, ...] = ()
    missing: tuple[tuple[str, Problem], ...] = ()
    recipe: GatheredRecipe | None = None


def gather(
    files: Mapping[str, str], template: str = "", environments: Sequence[str] | None = None
) -> Gathered:
    """Put together what a stack is made of. Raises InvalidDocument if a text cannot be read.

    Names of files are paths or addresses. A file that another one names is the one at that path,
    else the only one whose path ends most alike: so a folder may be given, and single files, too.
    Addresses of the network that nobody gave are left to the server. Without ``environments``, all
    that are such are used, in the order of ``files``.
    """
    given = _Given(files)
    kinds = {name: _kind(name, text) for name, text in files.items()}
    if environments is None:
        environments = [name for name in files if kinds[name] == ENVIRONMENT]
    chosen = template or _outermost(given, kinds)
    found = Gathered(kinds, chosen, tuple(environments))
    unknown = [name for name in (chosen, *environments) if name and name not in files]
    if unknown:
        raise InvalidDocument([Problem("this file was not given", file=name) for name in unknown])
    if not chosen:
        return found
    urls = [given.addresses[name] for name in environments]
    try:
        discovered = discover(given.addresses[chosen], urls, given.read)
    except InvalidDocument as error:
        raise InvalidDocument(map(given.shown, error.problems)) from None
    named = (_source(given, reference) for reference in discovered.references)
    used = tuple(dict.fromkeys(name for name in (chosen, *environments, *named) if name))
    found = replace(found, used=used, missing=tuple(_missing(given, discovered)))
    if found.missing:
        return found
    recipe = _as_written(given, chosen, environments, discovered) or _rewritten(given, discovered)
    return replace(found, recipe=recipe)


@dataclass(slots=True)
class _Given:
    """The files by name, and the search among them."""

    files: Mapping[str, str]
    addresses: dict[str, str] = field(init=False)
    names: dict[str, str] = field(init=False)
    missing: set[str] = field(default_factory=set)
    left: set[str] = field(default_factory=set)
    """Addresses that the server fetches."""

    def __post_init__(self) -> None:
        self.addresses = {name: _address(name) for name in self.files}
        self.names = {url: name for name, url in self.addresses.items()}

    def find(self, url: str) -> str | None:
        """Return the name of the file that an address means, None if there is none or many."""
        url = unquote(url)
        if url in self.names:
            return self.names[url]
        wanted = _steps(url)
        alike: dict[int, list[str]] = {}
        for name in self.files:
            count = common_end(wanted, _steps(name))
            if count:
                alike.setdefault(count, []).append(name)
        best = alike[max(alike)] if alike else []
        return best[0] if len(best) == 1 else None

    def read(self, url: str) -> bytes:
        """Return the content of what an address means; nothing of what is not there."""
        name = self.find(url)
        if name is not None:
            return self.files[name].encode()
        (self.missing if urlsplit(url).scheme == "file" else self.left).add(url)
        return b""

    def shown(self, problem: Problem) -> Problem:
        """Return a problem with the name of the file as it was given."""
        position = problem.position
        return replace(
            problem,
            file=self._shown(problem.file),
            position=position and replace(position, file=self._shown(position.file)),
        )

    def _shown(self, file: str) -> str:
        if not file:
            return file
        return self.find(file if urlsplit(file).scheme else _address(file)) or file


def _address(name: str) -> str:
    if urlsplit(name).scheme in _SCHEMES:
        return unquote(name)
    return _ROOT + posixpath.normpath(name).lstrip("/")


def _steps(name: str) -> list[str]:
    path = name.partition("://")[2] if "://" in name else name
    return [step for step in path.split("/") if step]


def _kind(name: str, text: str) -> str:
    may_be = posixpath.splitext(name)[1].lower() in _TEXTS
    if not may_be and not any(version in text for version in _VERSIONS):
        return OTHER
    data = _data(name, text)
    if not isinstance(data, dict):
        # What cannot be read is most likely meant to be one; whoever uses it hears what is wrong.
        is_broken = data is _BROKEN and any(version in text for version in _VERSIONS)
        return TEMPLATE if is_broken else OTHER
    if any(version in data for version in _VERSIONS):
        return TEMPLATE
    return ENVIRONMENT if data and set(data) <= set(SECTIONS) else OTHER


_BROKEN = object()


def _data(name: str, text: str) -> Data | object:
    try:
        return parse(text, name).data
    except InvalidDocument:
        return _BROKEN


def _outermost(given: _Given, kinds: Mapping[str, str]) -> str:
    """Return the only template that no other file names, else nothing."""
    inner: set[str | None] = set()
    for name, kind in kinds.items():
        if kind == OTHER:
            continue
        references_of = references_of_template if kind == TEMPLATE else references_of_environment
        data = _data(name, given.files[name])
        for _, _, url in references_of(data, folder_of(given.addresses[name])):  # type: ignore[arg-type]
            inner.add(given.find(url))
    outer = [name for name, kind in kinds.items() if kind == TEMPLATE and name not in inner]
    return outer[0] if len(outer) == 1 else ""


def _missing(given: _Given, discovered: Discovered) -> Iterator[tuple[str, Problem]]:
    """Yield what nobody gave, once each, with the first place that names it."""
    seen: set[str] = set()
    for reference in discovered.references:
        if reference.url not in given.missing or reference.url in seen:
            continue
        seen.add(reference.url)
        name = unquote(reference.url).removeprefix(_ROOT)
        problem = Problem(f'the file "{reference.text}" is missing', reference.path)
        placed = discovered.documents[reference.referrer].placed(problem)
        yield name, given.shown(placed)


def _as_written(
    given: _Given, template: str, environments: Iterable[str], discovered: Discovered
) -> GatheredRecipe | None:
    """Return the texts as the user wrote them, files named as they are named in them.

    None if one name means two files, as it may in two folders.
    """
    sources = {name: name for name in environments}
    for reference in discovered.references:
        name = _source(given, reference)
        if name is not None and sources.setdefault(reference.text, name) != name:
            return None
    files = {text: given.files[name] for text, name in sources.items()}
    return GatheredRecipe(given.files[template], files, tuple(environments), sources)


def _source(given: _Given, reference: Reference) -> str | None:
    return None if reference.url in given.left else given.find(reference.url)


def _rewritten(given: _Given, discovered: Discovered) -> GatheredRecipe:
    files = {url: text for url, text in discovered.files.items() if url not in given.left}
    sources = {url: given.find(url) or url for url in files}
    return GatheredRecipe(discovered.template_text, files, discovered.environment_files, sources)
