"""Times as the API writes them."""

from hotplate.api.http.times import shown_time


def test_times_are_in_utc_and_without_a_fraction() -> None:
    assert shown_time(0) == "1970-01-01T00:00:00Z"
    assert shown_time(1_700_000_000.999) == "2023-11-14T22:13:20Z"


def test_no_time_is_none() -> None:
    assert shown_time(None) is None
