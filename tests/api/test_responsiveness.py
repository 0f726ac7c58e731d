"""A large template keeps nobody else waiting: it is checked beside the loop that answers."""

import threading
from typing import Any

import pytest

from hotplate.engine.recipes.book import Bound
from hotplate.engine.requests import previews
from hotplate.validation.recipes import recipe_check
from tests.api.conftest import Api

TEMPLATE = {
    "heat_template_version": "2021-04-16",
    "resources": {"one": {"type": "OS::Heat::TestResource"}},
}


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The threads in which recipes have been validated."""
    seen: list[int] = []

    def validated(*given: Any, **options: Any) -> Bound:
        seen.append(threading.get_ident())
        return recipe_check.validated(*given, **options)

    monkeypatch.setattr(previews, "validated", validated)
    return seen


def test_recipes_are_validated_beside_the_loop(api: Api, threads: list[int]) -> None:
    body = {"stack_name": "s", "template": TEMPLATE}
    made = api.post("/stacks", json=body)
    stack = made.json()["stack"]["links"][0]["href"]
    assert made.status_code == 201
    assert api.wait(made.json()["stack"]["id"]) == "CREATE_COMPLETE"
    assert api.post("/stacks/preview", json={**body, "stack_name": "t"}).status_code == 200
    assert api.put(f"{stack}/preview", json=body).status_code == 200
    assert api.patch(f"{stack}/preview", json={}).status_code == 200
    assert api.put(stack, json=body).status_code == 202
    assert len(threads) == 5
    # Requests of this test are answered in its own thread.
    assert threading.get_ident() not in threads
