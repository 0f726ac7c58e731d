"""A misspelt name brings up the one that was meant."""

import pytest

from hotplate.document import did_you_mean

NAMES = ["properties", "metadata", "depends_on", "type"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [("propertie", "properties"), ("Type", "type"), ("dependson", "depends_on")],
)
def test_the_nearest_name_is_suggested(name: str, meant: str) -> None:
    assert did_you_mean(name, NAMES) == f'did you mean "{meant}"?'


@pytest.mark.parametrize("name", ["zebra", "", None, 3, ["type"], "type" * 100])
def test_without_a_near_name_nothing_is_suggested(name: object) -> None:
    assert did_you_mean(name, NAMES) == ""


def test_the_suggestion_keeps_the_spelling_of_the_first_of_equals() -> None:
    assert did_you_mean("NAME", ["Name", "name"]) == 'did you mean "Name"?'


def test_only_the_first_500_candidates_are_looked_at() -> None:
    assert did_you_mean("wanted", (f"{n}" * 9 for n in range(500))) == ""
    assert did_you_mean("wanted", [*("x" for _ in range(500)), "wanted"]) == ""
