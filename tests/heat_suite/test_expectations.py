"""The page on Heat's suite, and what a run is held to."""

import pytest

from tests.heat_suite.expectations import PAGE, Verdict, compared, listed

TEXT = """\
## Fail here, pass in Heat

| test | kind | why |
|---|---|---|
| `a.Test.test_one` | decision | because |

## Pass here, fail in a Heat without a cloud

| test | of what | why |
|---|---|---|
| `b.Test.*` | groups | because |

## Skipped

| test | needs |
|---|---|
| `c.Test.test_server` | Nova |
"""
AS_LISTED = {
    "a.Test.test_one[id-45449bad-18ba]": "fail",
    "a.Test.test_two": "success",
    "b.Test.test_three": "success",
    "c.Test.test_server": "skip",
}


def surprises(**differences: str) -> list[str]:
    statuses = {
        name: differences.get(name.partition("[")[0].rpartition("_")[2], status)
        for name, status in AS_LISTED.items()
    }
    return [name for name, _ in compared(statuses, listed(TEXT)).surprises()]


def test_a_run_as_the_page_says_has_no_surprises() -> None:
    assert surprises() == []


@pytest.mark.parametrize(
    ("name", "status"),
    [("one", "success"), ("one", "skip"), ("two", "fail"), ("two", "skip"), ("three", "fail"),
     ("server", "success"), ("server", "fail")],
)  # fmt: skip
def test_whatever_differs_from_the_page_is_told(name: str, status: str) -> None:
    (found,) = surprises(**{name: status})
    assert f"test_{name}" in found


def test_a_row_that_speaks_of_no_test_is_told() -> None:
    found = compared({"a.Test.test_two": "success"}, listed(TEXT))
    assert found.unused == ("a.Test.test_one", "b.Test.*", "c.Test.test_server")


def test_tests_that_a_heat_without_a_cloud_passes_are_counted() -> None:
    found = compared(AS_LISTED, listed(TEXT))
    assert (found.passed_of_those, found.in_heat) == (1, 2)


def test_the_page_can_be_read() -> None:
    verdicts = {row.verdict for row in listed(PAGE.read_text(encoding="utf-8"))}
    assert verdicts == set(Verdict) - {Verdict.PASSES}


def test_a_failure_without_a_known_reason_is_no_row() -> None:
    with pytest.raises(ValueError, match="laziness is none of"):
        listed(TEXT.replace("| decision |", "| laziness |"))
