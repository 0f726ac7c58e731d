"""Addresses for signals among values that a command prints."""

import pytest

from hotplate.cli.session.unserved import unserved

SIGNED = (
    "curl -i -X POST 'http://127.0.0.1:8004/v1/signal/arn%3Aopenstack%3Aheat%3A%3Adefault%3Astacks"
    "%2Fapp%2F17%2Fresources%2Fready?AWSAccessKeyId=x&Signature=y'"
)


@pytest.mark.parametrize(
    ("values", "way"),
    [
        (SIGNED, "`hotplate signal app ready`"),
        ([{"output_value": {"alarm_url": SIGNED}}], "`hotplate signal app ready`"),
        (
            "http://h:1/v1/waitcondition/arn%3A…%3Astacks%2Fa-b%2F17%2Fresources%2Fc?X=1",
            "`hotplate signal a-b c`",
        ),
        ("http://h:1/v1/default/stacks/app/17/resources/ready/signal", "hotplate signal app ready"),
    ],
)
def test_an_address_for_signals_comes_with_the_way_that_works(values: object, way: str) -> None:
    words = unserved(values)
    assert words.startswith("no server answers at http://")
    assert way in words


@pytest.mark.parametrize("values", ["", None, "http://127.0.0.1:8004/v1/default/stacks", [1, {}]])
def test_other_values_need_no_remark(values: object) -> None:
    assert unserved(values) == ""
