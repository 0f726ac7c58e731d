"""All files that a template and its environments need, found the way python-heatclient does."""

import base64
import posixpath
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath
from urllib.parse import unquote, urlsplit

from hotplate.client.lined_json import lined_json
from hotplate.client.reader import path_of, read_url
from hotplate.client.references import (
    folder_of,
    references_of_environment,
    references_of_template,
    replaced,
)
from hotplate.document import Data, Document, InvalidDocument, Path, Problem, parse

MOST_FILES = 10_000
_VERSIONS = ("HeatTemplateFormatVersion", "heat_template_version", "AWSTemplateFormatVersion")

MOST_TOTAL = 256 * 1024 * 1024
"""Characters of all files together."""

Read = Callable[[str], bytes]
"""Returns the content of an address; raises OSError saying in plain words why it cannot."""

_ReferencesOf = Callable[[Data, str], Iterator[tuple[Path, str, str]]]


@dataclass(frozen=True, slots=True)
class Reference:
    """One file naming another."""

    referrer: str
    path: Path
    text: str
    url: str


@dataclass(frozen=True, slots=True)
class Discovered:
    """What a request sends.

    ``template`` has addresses in place of file names, None if no template was named. ``files`` is
    keyed by address: nested templates and environments as JSON in the lines of the user's file,
    other files as they are, binary ones in base64. ``environment_names`` are names of environments
    that stay the same wherever they are sent from: paths below the template's folder, for those
    that are there. ``documents`` holds, by the same addresses, what was read before names were
    replaced; its lines are those the user sees.
    """

    template: Data
    files: Mapping[str, str]
    environment_files: tuple[str, ...]
    references: tuple[Reference, ...]
    documents: Mapping[str, Document]
    environment_names: Mapping[str, str] = field(default_factory=dict)

    @property
    def template_text(self) -> str:
        """The template as a text, with the lines of the user's file."""
        return lined_json(next(iter(self.documents.values())), self.template)

    def placed(self, problem: Problem) -> Problem:
        """Return a problem found in a sent file with its place in the user's file."""
        file = problem.position.file if problem.position else problem.file
        document = self.documents.get(file)
        if document is None:
            return problem
        return document.placed(replace(problem, file="", position=None))


def discover(
    template: str | None, environments: Sequence[str] = (), read: Read = read_url
) -> Discovered:
    """Read a template, its environments and everything they name.

    Names are paths or ``file``, ``http`` and ``https`` addresses. Each file is read once, so
    templates may name each other in a circle. Only files named by local ones are read from the
    local machine. Raises InvalidDocument with every file that is missing and the place that names
    it.
    """
    search = _Search(read)
    template_url = None if template is None else search.start(template, references_of_template)
    environment_urls = [search.start(name, references_of_environment) for name in environments]
    search.follow()
    if search.problems:
        raise InvalidDocument(search.problems)
    sent: Data = None
    if template_url is not None:
        sent = search.rewritten[template_url]
        if template_url not in search.referred and template_url not in environment_urls:
            del search.files[template_url]
    return Discovered(
        sent,
        search.files,
        tuple(environment_urls),
        tuple(search.references),
        search.documents,
        {} if template_url is None else _names(environment_urls, template_url),
    )


def _names(environments: Iterable[str], template: str) -> dict[str, str]:
    """Return the paths of local environments from the template's folder on."""
    folder = template.rpartition("/")[0] + "/"
    if urlsplit(template).scheme != "file":
        return {}
    return {
        url: unquote(url.removeprefix(folder)) for url in environments if url.startswith(folder)
    }


def url_of(name: str) -> str:
    """Return the address of a file that a user names; links in a path are followed."""
    return name if urlsplit(name).scheme else FilePath(name).resolve().as_uri()


@dataclass(slots=True)
class _Search:
    """One discovery under way."""

    read: Read
    files: dict[str, str] = field(default_factory=dict)
    rewritten: dict[str, Data] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)
    references: list[Reference] = field(default_factory=list)
    referred: set[str] = field(default_factory=set)
    names: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    _waiting: deque[Reference] = field(default_factory=deque)
    _total: int = 0

    def start(self, name: str, references_of: _ReferencesOf) -> str:
        """Read a file that the user named."""
        url = url_of(name)
        if url in self.rewritten:
            return url
        self.names[url] = name
        try:
            text = self.read(url).decode()
            self._take(parse(text, name), url, references_of)
        except OSError as error:
            looked_for = _shown(url)
            message = f"cannot be read: {error}"
            hint = "" if looked_for == name else f"looked for {looked_for}"
            self.problems.append(Problem(message, (), hint, file=name))
        except UnicodeDecodeError:
            self.problems.append(Problem("is not text in UTF-8", file=name))
        except InvalidDocument as error:
            self.problems.extend(error.problems)
        return url

    def follow(self) -> None:
        """Read all that is named by what has been read."""
        while self._waiting:
            reference = self._waiting.popleft()
            if reference.url in self.referred:
                continue
            self.referred.add(reference.url)
            if reference.url in self.files:
                continue
            if len(self.files) >= MOST_FILES or self._total > MOST_TOTAL:
                self._report(reference, "the files needed are too many or too large", "")
                return
            self._read_referred(reference)

    def _read_referred(self, reference: Reference) -> None:
        url = reference.url
        if urlsplit(url).scheme == "file" and urlsplit(reference.referrer).scheme != "file":
            self._report(reference, "a remote file cannot name a local one", "")
            return
        try:
            content = self.read(url)
        except OSError as error:
            message = f'the file "{reference.text}" cannot be read: {error}'
            self._report(reference, message, f"looked for {_shown(url)}")
            return
        self._total += len(content)
        try:
            text = content.decode()
        except UnicodeDecodeError:
            self.files[url] = base64.encodebytes(content).decode("ascii")
            return
        self.names[url] = _name(self.names[reference.referrer], reference)
        document = _template(text, self.names[url])
        if document is None:
            self.files[url] = text
        else:
            self._take(document, url, references_of_template)

    def _take(self, document: Document, url: str, references_of: _ReferencesOf) -> None:
        addresses = {}
        for path, text, target in references_of(document.data, folder_of(url)):
            addresses[path] = target
            reference = Reference(url, path, text, target)
            self.references.append(reference)
            self._waiting.append(reference)
        self.documents[url] = document
        data = {} if document.data is None else document.data
        self.rewritten[url] = replaced(data, addresses)
        self.files[url] = lined_json(document, self.rewritten[url])

    def _report(self, reference: Reference, message: str, hint: str) -> None:
        document = self.documents[reference.referrer]
        self.problems.append(document.placed(Problem(message, reference.path, hint)))


def _template(text: str, name: str) -> Document | None:
    """Return the template that a text holds, None if it is any other text."""
    if not any(version in text for version in _VERSIONS):
        return None
    try:
        document = parse(text, name)
    except InvalidDocument:
        # Sent as it is: whoever reads it there can say what is wrong, and in which line.
        return None
    if isinstance(document.data, dict) and any(v in document.data for v in _VERSIONS):
        return document
    return None


def _name(referrer: str, reference: Reference) -> str:
    """Return the name for people: a path relative as the user's own, or an address."""
    if urlsplit(reference.url).scheme != "file":
        return reference.url
    relative = posixpath.join(posixpath.dirname(referrer), reference.text)
    if urlsplit(relative).scheme or url_of(relative) != reference.url:
        return path_of(reference.url)
    return posixpath.normpath(relative)


def _shown(url: str) -> str:
    return path_of(url) if urlsplit(url).scheme == "file" else url
