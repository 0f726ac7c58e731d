"""Problems as people and programs read them."""

import json
from typing import Any

import click

from hotplate.document import Problem, format_path
from hotplate.validation import Report


def print_report(file: str, report: Report, output: str) -> None:
    """Print what was found: problems on standard error, the verdict on standard output."""
    if output == "json":
        click.echo(json.dumps(_as_data(report), indent=2))
        return
    for problem in report.errors:
        click.echo(f"{click.style('error', fg='red')}: {problem}", err=True)
    for problem in report.warnings:
        click.echo(f"{click.style('warning', fg='yellow')}: {problem}", err=True)
    click.echo(_verdict(file, report))


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
        "file": position.file if position else problem.file,
        "line": position.line if position else None,
        "column": position.column if position else None,
        "path": format_path(problem.path),
        "message": problem.message,
        "hint": problem.hint,
    }
