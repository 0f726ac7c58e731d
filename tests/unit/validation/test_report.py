"""A report is valid as long as it has no errors."""

from hotplate.document import Problem
from hotplate.validation import Report


def test_warnings_and_missing_parameters_refuse_nothing() -> None:
    assert Report().is_valid
    assert Report(warnings=[Problem("odd")], missing=("p",)).is_valid
    assert not Report(errors=[Problem("wrong")]).is_valid
