"""How long operations may take on a stack that was made without saying so."""

from pathlib import Path
from typing import Any

import pytest

from hotplate.api.settings import Settings
from tests.api.shared_api import shared_api

PLAIN = {"heat_template_version": "2021-04-16"}


@pytest.mark.parametrize(
    ("setting", "given", "minutes"),
    [(0, {}, None), (60, {}, 60), (60, {"timeout_mins": 5}, 5), (60, {"timeout_mins": 0}, None)],
)
def test_the_setting_counts_where_the_request_says_nothing(
    tmp_path: Path, setting: int, given: dict[str, Any], minutes: int | None
) -> None:
    with shared_api(tmp_path, Settings(default_timeout=setting)) as api:
        answer = api.post("/stacks", json={"stack_name": "s", "template": PLAIN, **given})
        path = f"/stacks/s/{answer.json()['stack']['id']}"
        assert api.get(path).json()["stack"]["timeout_mins"] == minutes
