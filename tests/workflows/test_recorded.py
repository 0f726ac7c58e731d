"""What our machine makes of the cases, beside what a real Mistral made of them."""

import json
from typing import Any

import pytest

from hotplate.testing.workflow import MemoryWorkflows
from tests.workflows import ours
from tests.workflows.case import HERE, Case, all_cases
from tests.yaml_files import read_yaml

CASES = all_cases()
RECORDED = json.loads((HERE / "recorded.json").read_text(encoding="utf-8"))
DIFFERENCES = read_yaml(HERE / "differences.yaml")

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.file}: {case.name}")


def expected(case: Case) -> dict[str, Any]:
    """What ours must come to: the same, or what was decided."""
    outcome: dict[str, Any] = DIFFERENCES.get(case.name, {}).get("ours") or RECORDED[case.name]
    return outcome


@each_case
def test_a_case_comes_to_the_same_as_on_a_real_mistral(case: Case) -> None:
    assert ours.run(case) == expected(case)


@each_case
def test_a_case_comes_to_the_same_with_a_crash_after_every_step(case: Case) -> None:
    assert ours.run(case, MemoryWorkflows(crashing=True)) == expected(case)


def test_every_difference_is_one_and_has_a_reason() -> None:
    for name, difference in DIFFERENCES.items():
        assert difference["why"]
        assert difference["ours"] != RECORDED[name]


def test_every_recorded_case_is_there() -> None:
    assert list(RECORDED) == [case.name for case in CASES]
