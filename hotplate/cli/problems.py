"""Problems as people and programs read them."""

import json
import os
from collections.abc import Iterable
from typing import Any

import click

from hotplate.cli.output import Output
from hotplate.client.reader import path_of
from hotplate.document import Problem, format_path
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


def print_report(file: str, report: Report, output: str) -> None:
    """Print what was found: problems on standard error, the verdict on standard output."""
    if output == "json":
        click.echo(json.dumps(_as_data(report), indent=2))
        return
    # click leaves colours out where there is no terminal; NO_COLOR asks for that everywhere.
    color = False if os.environ.get("NO_COLOR") else None
    for problem in report.errors:
        click.echo(f"{click.style('error', fg='red')}: {_line(problem)}", err=True, color=color)
    for problem in report.warnings:
        word = click.style("warning", fg="yellow")
        click.echo(f"{word}: {_line(problem)}", err=True, color=color)
    click.echo(_verdict(file, report))


def print_problems(output: Output, problems: Iterable[Problem], code: int) -> None:
    """Say what is wrong with the files that were named; the command ends with the code."""
    found = list(problems)
    for problem in found:
        output.note(f"{click.style('error', fg='red')}: {_line(problem)}")
    output.record(
        "error",
        message="; ".join(_line(problem) for problem in found[:3]),
        hint="",
        exit_code=int(code),
        problems=[_problem(problem) for problem in found],
    )


def _line(problem: Problem) -> str:
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
        "errors": [_problem(problem) for problem in report.errors],
        "warnings": [_problem(problem) for problem in report.warnings],
        "missing_parameters": list(report.missing),
    }


def _problem(problem: Problem) -> dict[str, Any]:
    position = problem.position
    return {
        "file": _shown_file(problem),
        "line": position.line if position else None,
        "column": position.column if position else None,
        "path": format_path(problem.path),
        "message": problem.message,
        "hint": problem.hint,
    }
