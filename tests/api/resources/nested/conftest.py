"""One API for each file of tests, and a tree in it that nobody changes."""

from collections.abc import Iterator

import pytest

from hotplate.api.http.settings import Settings
from tests.api.conftest import Api
from tests.api.shared_api import shared_api
from tests.api.trees import FOUR_LEVELS, made


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with shared_api(tmp_path_factory.mktemp("api"), Settings()) as api:
        yield api


@pytest.fixture(scope="module")
def tree(api: Api) -> str:
    """A tree of four levels that nobody changes."""
    return made(api, "tree", FOUR_LEVELS)
