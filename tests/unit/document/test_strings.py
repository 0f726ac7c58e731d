"""Texts that no database stores are known, and places in a text are counted from 1."""

import pytest

from hotplate.document.strings import fault_of_string, line_and_column


@pytest.mark.parametrize("text", ["", "plain", "é", "😀", "\x7f", "\n\t"])
def test_ordinary_texts_have_no_fault(text: str) -> None:
    assert fault_of_string(text) == ""


def test_nul_and_half_surrogate_pairs_are_faults() -> None:
    assert "NUL" in fault_of_string("a\0")
    assert "surrogate" in fault_of_string("a\ud800")


@pytest.mark.parametrize(
    ("offset", "place"), [(0, (1, 1)), (1, (1, 2)), (2, (1, 3)), (3, (2, 1)), (5, (3, 2))]
)
def test_lines_and_columns_count_from_one(offset: int, place: tuple[int, int]) -> None:
    assert line_and_column("ab\n\nc", offset) == place
