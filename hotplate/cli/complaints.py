"""Refusals of the server, told with the user's own files and lines."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import click

from hotplate.cli.codes import Code
from hotplate.cli.output import Output
from hotplate.client.files import Discovered
from hotplate.client.reader import path_of
from hotplate.client.refusal import ProblemAt, Refusal
from hotplate.document import Data, Document, Path, Problem, format_path

_HINTS = {
    401: "set HOTPLATE_TOKEN, or say --token",
    409: "",
    412: "look at it again, with `hotplate preview` or `hotplate show`",
    503: "try again in a moment",
}


def told_refusal(output: Output, refusal: Refusal, sent: Discovered | None = None) -> int:
    """Say why the server refused, and return the exit code."""
    code = Code.FAILED if refusal.status >= 500 else Code.REFUSED
    problems = [_placed(problem, sent) for problem in refusal.problems]
    if not problems:
        words = " ".join(refusal.message.split()).rstrip(".")
        output.error(words, code, _HINTS.get(refusal.status, ""), status=refusal.status)
        return code
    for problem in problems:
        output.note(f"{click.style('error', fg='red')}: {_line(problem)}")
    output.record(
        "error",
        message=refusal.message,
        hint="",
        exit_code=int(code),
        status=refusal.status,
        problems=[_data(problem) for problem in problems],
    )
    return code


def _data(problem: ProblemAt) -> dict[str, object]:
    return {
        "file": problem.file,
        "line": problem.line,
        "column": problem.column,
        "path": problem.path,
        "message": problem.message,
        "hint": problem.hint,
    }


def _line(problem: ProblemAt) -> str:
    place = ":".join(
        str(part) for part in (problem.file, problem.line, problem.column) if part is not None
    )
    words = f"{problem.message}; {problem.hint}" if problem.hint else problem.message
    return ": ".join(part for part in (place, problem.path, words) if part)


def _placed(problem: ProblemAt, sent: Discovered | None) -> ProblemAt:
    """Return a problem in the file as the user wrote it: what was sent is JSON in one line."""
    document = sent.documents.get(problem.file) if sent else None
    if sent is not None and document is None and urlsplit(problem.file).scheme == "":
        document = next(iter(sent.documents.values()), None)  # the template has no address there
    if document is None:
        name = path_of(problem.file) if problem.file.startswith("file:") else problem.file
        return ProblemAt(
            problem.message, problem.hint, problem.path, name, problem.line, problem.column
        )
    found = document.placed(Problem(problem.message, _steps(document, problem.path), problem.hint))
    place = found.position
    return ProblemAt(
        problem.message,
        problem.hint,
        format_path(found.path) or problem.path,
        place.file if place else document.name,
        place.line if place else None,
        place.column if place else None,
    )


def _steps(document: Document, dotted: str) -> Path:
    """Return the path that was written with dots; names may have some themselves."""
    return tuple(_walk(document.data, dotted))


def _walk(data: Data, rest: str) -> Iterator[str | int]:
    while rest:
        if isinstance(data, list):
            number, _, after = rest.partition(".")
            if not number.isdecimal() or int(number) >= len(data):
                return
            yield int(number)
            data, rest = data[int(number)], after
            continue
        if not isinstance(data, dict):
            return
        fitting = [key for key in data if rest == str(key) or rest.startswith(f"{key}.")]
        if not fitting:
            return
        key = max(fitting, key=lambda each: len(str(each)))
        yield key
        data, rest = data[key], rest[len(str(key)) + 1 :]
