"""Expressions have the value that Heat gives them."""

import json
from typing import Any

import pytest

from tests.golden.ours import HERE, Verdict, judge, load_cases
from tests.yaml_files import read_yaml

CASES = load_cases()
RECORDED: list[dict[str, Any]] = json.loads((HERE / "recorded" / "expressions.json").read_text())
DIFFERENCES: dict[tuple[str, str], set[str]] = {}
for difference in read_yaml(HERE / "differences.yaml"):
    for file, names in difference["cases"].items():
        for name in names:
            versions = difference.get("versions") or ["all"]
            DIFFERENCES.setdefault((file, name), set()).update(versions)


def same(ours: Verdict, record: dict[str, Any]) -> bool:
    """Tell whether both gave the same value, or both gave none."""
    if record["verdict"] != "value" or ours.kind != "value":
        return record["verdict"] != "value" and ours.kind != "value"
    return json.dumps(ours.value, sort_keys=True) == json.dumps(record["value"], sort_keys=True)


def is_decided(record: dict[str, Any]) -> bool:
    versions = DIFFERENCES.get((record["file"], record["name"]), set())
    return bool(versions & {"all", record["version"]})


def judged(record: dict[str, Any]) -> Verdict:
    case = CASES[record["file"], record["name"]]
    return judge(case, record["version"], record.get("resources", {}))


@pytest.mark.parametrize("family", sorted({file for file, _ in CASES}))
def test_values_of_a_family_of_functions(family: str) -> None:
    wrong = []
    for record in RECORDED:
        if record["file"] != family or is_decided(record):
            continue
        ours = judged(record)
        if not same(ours, record):
            wrong.append((record, ours))
    assert not wrong


def test_every_case_is_recorded_for_every_version() -> None:
    recorded = {(record["file"], record["name"], record["version"]) for record in RECORDED}
    written = {
        (file, name, str(version))
        for (file, name), case in CASES.items()
        for version in case["versions"]
    }
    assert recorded == written
    assert len(recorded) > 3000


def test_every_difference_is_one() -> None:
    different = {
        (record["file"], record["name"]) for record in RECORDED if not same(judged(record), record)
    }
    assert set(DIFFERENCES) <= different
