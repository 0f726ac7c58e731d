"""Broken templates and environments are refused with their place, as Heat refuses them."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hotplate.document import InvalidDocument, from_data, parse
from hotplate.validation import Report, Request, validate
from tests.yaml_files import read_yaml

HERE = Path(__file__).parent
NOW = datetime(2026, 1, 1, tzinfo=UTC)

# What only the engine knows types for is tried in tests/api/templates/test_facades.py.
CASES: list[dict[str, Any]] = [
    case for case in read_yaml(HERE / "cases.yaml") if case.get("by") != "types"
]
HEAT: dict[str, str] = {
    case["case"]: case["verdict"] for case in json.loads((HERE / "heat.json").read_text())
}
DECISIONS: dict[str, str] = {
    case: decision["ours"]
    for decision in read_yaml(HERE / "decisions.yaml")
    for case in decision["cases"]
}


def report_on(case: dict[str, Any]) -> Report:
    environments: list[Any] = []
    try:
        template = parse((HERE / case["file"]).read_text(), case["file"])
        given = case.get("environment")
        if isinstance(given, str):
            environments.append(parse((HERE / given).read_text(), given))
        elif given is not None:
            environments.append(from_data(given, "inline environment"))
    except InvalidDocument as fault:
        return Report(errors=list(fault.problems))
    request = Request(
        template, tuple(environments), case.get("parameters", {}), case.get("files", {})
    )
    return validate(request, NOW)


def is_refused(report: Report) -> bool:
    # A stack cannot be made either while a parameter has no value.
    return bool(report.errors or report.missing)


@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_verdict_is_heats_or_decided_otherwise(case: dict[str, Any]) -> None:
    report = report_on(case)
    heats = "accepted" if HEAT[case["case"]] == "accepted" else "refused"
    expected = DECISIONS.get(case["case"], heats)
    assert ("refused" if is_refused(report) else "accepted") == expected, report


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if not case.get("valid")],
    ids=[case["case"] for case in CASES if not case.get("valid")],
)
def test_a_refusal_names_the_place_and_the_culprit(case: dict[str, Any]) -> None:
    report = report_on(case)
    if not report.errors:
        return
    lines = {problem.position.line if problem.position else None for problem in report.errors}
    assert lines & {case["line"], *case.get("or_lines", [])}, report.errors
    said = "\n".join(map(str, report.errors)).lower()
    for fragment in case["says"]:
        assert fragment in said


def test_every_decision_is_a_difference() -> None:
    assert set(DECISIONS) <= set(HEAT)
    for case, ours in DECISIONS.items():
        heats = "accepted" if HEAT[case] == "accepted" else "refused"
        assert ours != heats, f"{case} is no difference any more"


def test_there_are_enough_of_them() -> None:
    refused = [case for case in CASES if is_refused(report_on(case))]
    assert len(refused) > 500
