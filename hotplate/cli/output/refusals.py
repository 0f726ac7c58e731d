"""Refusals of the server, reported with the user's own files and lines."""

from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urlsplit

import click

from hotplate.cli.output.exit_codes import Code
from hotplate.cli.output.output import Output
from hotplate.cli.output.problems import problem_data, problem_text
from hotplate.client import Discovered, ProblemAt, Refusal
from hotplate.document import Cause, Data, Document, Path, Position, Problem
from hotplate.environment import EXPLICIT

_CAUSES = {cause.value: cause for cause in Cause}
_HINTS = {
    401: "set HOTPLATE_TOKEN, or say --token",
    409: "",
    412: "read it again, with `hotplate preview` or `hotplate show`",
    503: "try again in a moment",
}


def report_refusal(output: Output, refusal: Refusal, sent: Discovered | None = None) -> int:
    """Say why the server refused, and return the exit code."""
    code = Code.FAILED if refusal.status >= 500 else Code.REFUSED
    problems = [placed(problem, sent) for problem in refusal.problems]
    if not problems:
        message = " ".join(refusal.message.split()).rstrip(".")
        output.error(message, code, _HINTS.get(refusal.status, ""), status=refusal.status)
        return code
    for problem in problems:
        output.note(f"{click.style('error', fg='red')}: {problem_text(problem)}")
    output.record(
        "error",
        message=refusal.message,
        hint="",
        exit_code=int(code),
        status=refusal.status,
        problems=[problem_data(problem) for problem in problems],
    )
    return code


def placed(problem: ProblemAt, sent: Discovered | None) -> Problem:
    """Return a problem in the file as the user wrote it: what was sent is JSON in one line."""
    path: Path = (problem.path,) if problem.path else ()
    cause = _CAUSES.get(problem.cause, Cause.OTHER)
    document = sent.documents.get(problem.file) if sent else None
    if problem.file == EXPLICIT:
        file = "--parameter"
        return Problem(problem.message, path, problem.hint, file=file, cause=cause)
    if sent is not None and document is None and urlsplit(problem.file).scheme == "":
        document = next(iter(sent.documents.values()), None)  # the template has no address there
    if document is None:
        place = None
        if problem.line is not None:
            place = Position(problem.file, problem.line, problem.column or 1)
        return Problem(problem.message, path, problem.hint, place, file=problem.file, cause=cause)
    steps = _steps(document, problem.path)
    found = document.placed(Problem(problem.message, steps, problem.hint, cause=cause))
    return replace(found, path=found.path or path, file=document.name)


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
