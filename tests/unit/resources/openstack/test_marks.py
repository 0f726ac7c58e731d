"""Marks in texts of objects."""

import pytest

from hotplate.resources.openstack.marks import has_mark, mark_of, with_mark, without_mark
from hotplate.resources.openstack.neutron.net import Net
from tests.unit.resources.acting import resource


def test_a_text_gets_one_mark_and_keeps_its_words() -> None:
    ours = resource(Net())
    assert with_mark(None, ours) == with_mark("", ours) == mark_of(ours)
    assert with_mark("for all", ours) == f"for all {mark_of(ours)}"
    another = with_mark("for all", resource(Net(), creation_token="0c2f7b5e-6a54"))
    assert has_mark(another)
    assert with_mark(another, ours) == f"for all {mark_of(ours)}"


@pytest.mark.parametrize(
    ("told", "meant"),
    [
        ("for all (hotplate 0c2f7b5e-6a54)", "for all"),
        ("(hotplate 0c2f7b5e-6a54)", None),
        ("(hotplate) is for all", "(hotplate) is for all"),
        ("", ""),
        (None, None),
    ],
)
def test_no_mark_is_shown_whoever_put_it_there(told: str | None, meant: str | None) -> None:
    assert without_mark(told) == meant
