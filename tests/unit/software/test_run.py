"""One run of a deployment."""

import pytest

from hotplate.software import ConfigDraft, Run


@pytest.mark.parametrize(
    ("is_awaited", "status", "reason"),
    [
        (True, "IN_PROGRESS", "Deploy data available"),
        (False, "COMPLETE", "Not waiting for outputs signal"),
    ],
)
def test_whether_a_report_is_awaited_decides_the_status(
    is_awaited: bool, status: str, reason: str
) -> None:
    run = Run("d", "c", "s", "stack", "CREATE", ConfigDraft(), {}, (), is_awaited)
    assert (run.status, run.reason) == (status, reason)
