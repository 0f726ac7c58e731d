"""Marks in texts of objects."""

import pytest

from hotplate.resources.openstack.creation_tokens import (
    has_token,
    token_text,
    with_token,
    without_token,
)
from hotplate.resources.openstack.neutron.net import Net
from tests.unit.resources.acting import resource


def test_a_text_gets_one_token_and_keeps_its_words() -> None:
    ours = resource(Net())
    assert with_token(None, ours) == with_token("", ours) == token_text(ours)
    assert with_token("for all", ours) == f"for all {token_text(ours)}"
    another = with_token("for all", resource(Net(), creation_token="0c2f7b5e-6a54"))
    assert has_token(another)
    assert with_token(another, ours) == f"for all {token_text(ours)}"


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
def test_no_token_is_shown_whoever_put_it_there(told: str | None, meant: str | None) -> None:
    assert without_token(told) == meant
