"""Problems as people and programs read them."""

import json
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import click

from hotplate.cli.output.output import Output
from hotplate.client import Discovered, path_of
from hotplate.document import InvalidDocument, Problem, format_path, place_data
from hotplate.template import compile_template
from hotplate.validation import Report


def in_reading_order(problems: Iterable[Problem]) -> list[Problem]:
    """Return each problem once, file by file, in the order of their lines."""
    found = list(dict.fromkeys(problems))
    files = {file: number for number, file in enumerate(dict.fromkeys(map(_file, found)))}

    def place(problem: Problem) -> tuple[int, int, int]:
        position = problem.position
        line, column = (position.line, position.column) if position else (0, 0)
        return files[_file(problem)], line, column

    return sorted(found, key=place)


def language_warnings(found: Discovered) -> list[Problem]:
    """Return what is odd in any of the templates that were read, by their text alone."""
    warnings: list[Problem] = []
    for url, document in found.documents.items():
        warnings.extend(document.warnings)
        if url in found.environment_files:
            continue
        with suppress(InvalidDocument):  # whoever gets it says what is wrong
            warnings.extend(map(document.placed, compile_template(document).warnings))
    return in_reading_order(warnings)


def print_report(file: str, report: Report, output: Output) -> None:
    """Print what was found: problems on standard error, the verdict on standard output."""
    if output.is_json:
        click.echo(json.dumps(_as_data(report), indent=2))
        return
    for problem in report.errors:
        output.note(f"{click.style('error', fg='red')}: {problem_text(problem)}")
    print_warnings(output, report.warnings)
    output.say(_verdict(file, report))


def print_warnings(output: Output, warnings: Iterable[Problem]) -> None:
    """Say what is odd and refuses nothing."""
    for problem in warnings:
        output.note(f"{click.style('warning', fg='yellow')}: {problem_text(problem)}")
        output.record("warning", **problem_data(problem))


def print_problems(output: Output, problems: Iterable[Problem], code: int) -> None:
    """Say what is wrong with the files that were named; the command ends with the code."""
    found = list(problems)
    for problem in found:
        output.note(f"{click.style('error', fg='red')}: {problem_text(problem)}")
    output.record(
        "error",
        message="; ".join(problem_text(problem) for problem in found[:3]),
        hint="",
        exit_code=int(code),
        problems=[problem_data(problem) for problem in found],
    )


def problem_text(problem: Problem) -> str:
    """Return a problem as a line: where it is, and what is wrong."""
    place = str(problem.position) if problem.position else problem.file
    shown = place.replace(_file(problem), _shown_file(problem), 1)
    return ": ".join(part for part in (shown, format_path(problem.path), problem.sentence) if part)


def _file(problem: Problem) -> str:
    return problem.position.file if problem.position else problem.file


def _shown_file(problem: Problem) -> str:
    """Return the file as a path: files that could not be read as templates have an address."""
    file = _file(problem)
    return path_of(file) if file.startswith("file:") else file


def _verdict(file: str, report: Report) -> str:
    counts = []
    if report.errors:
        counts.append(_count(len(report.errors), "error"))
    if report.warnings:
        counts.append(_count(len(report.warnings), "warning"))
    verdict = f"{file}: {'valid' if report.is_valid else 'not valid'}"
    if counts:
        verdict += f", {' and '.join(counts)}"
    if report.is_valid and report.missing:
        verdict += f"; still needs a value for {', '.join(report.missing)}"
    return verdict


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _as_data(report: Report) -> dict[str, Any]:
    return {
        "valid": report.is_valid,
        "errors": [problem_data(problem) for problem in report.errors],
        "warnings": [problem_data(problem) for problem in report.warnings],
        "missing_parameters": list(report.missing),
    }


def problem_data(problem: Problem) -> dict[str, Any]:
    """Return a problem as an object."""
    return {
        **place_data(problem.file, problem.position),
        "file": _shown_file(problem),
        "path": format_path(problem.path),
        "message": problem.message,
        "hint": problem.hint,
    }
