"""The same templates on Hotplate and on Heat: resources, statuses, attributes and outputs."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from hotplate.resources.catalogue import installed
from tests.comparison.difference import Difference, differences, read_decisions
from tests.comparison.play import CASES as CASES_FOLDER
from tests.comparison.play import read_cases
from tests.comparison.record import RECORDED, read
from tests.comparison.side_by_side import Played, played

CASES = read_cases()
DECISIONS = read_decisions()


@pytest.fixture(scope="module")
def results(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, Played]:
    """What became of the cases that were selected; the processes of a test run share it."""
    folder = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):
        folder = folder.parent
    specs = [
        getattr(item, "callspec", None)
        for item in request.session.items
        if item.path == request.path
    ]
    names = [spec.params["name"] for spec in specs if spec is not None]
    return played(folder / "comparison", [CASES[name] for name in names])


@pytest.mark.processes
@pytest.mark.parametrize("name", sorted(CASES))
def test_a_case_looks_as_in_heat_or_was_decided_otherwise(
    results: Mapping[str, Played], name: str
) -> None:
    result = results[name]
    assert not result.failure, result.failure
    found = differences(name, read(name), result.pictures)
    decisions = [decision for decision in DECISIONS if decision.is_about(name)]

    def is_decided(difference: Difference) -> bool:
        return any(decision.covers(difference) for decision in decisions)

    undecided = [str(each) for each in found if not is_decided(each)]
    assert not undecided, "\n".join(undecided)
    for decision in decisions:
        for place in decision.places:
            is_met = any(decision.covers(each, place) for each in found)
            assert is_met, f"{name}: {place} is no difference any more ({decision.why})"


def test_every_case_was_recorded_and_every_recording_is_of_a_case() -> None:
    assert {path.stem for path in RECORDED.glob("*.json")} == set(CASES)
    for name, case in CASES.items():
        assert list(read(name)) == case.titles(), f"record {name} again"


def test_every_type_that_needs_no_service_is_in_a_case() -> None:
    played = "".join(path.read_text(encoding="utf-8") for path in CASES_FOLDER.glob("*.yaml"))
    ours = [name for name in installed() if name.startswith(("OS::Heat::", "AWS::"))]
    assert ours
    assert [name for name in ours if not re.search(rf"{name}\b", played)] == []


def test_decisions_are_about_cases() -> None:
    assert {decision.case for decision in DECISIONS} <= set(CASES)


def test_no_recording_names_the_machine_it_was_made_on() -> None:
    for path in Path(RECORDED).glob("*.json"):
        text = path.read_text(encoding="utf-8")
        assert "127.0.0.1" not in text
        assert "gAAAA" not in text
