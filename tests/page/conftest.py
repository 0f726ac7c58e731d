"""A real server, and Debian's Chromium that looks at it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.acceptance.serving import Served, end, start
from tests.databases import new_sqlite_file
from tests.page.browsing import PATIENCE, Browsing

_ARGUMENTS = ["--disable-dev-shm-usage", "--force-color-profile=srgb"]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser of this machine; a missing one is an error."""
    found = shutil.which("chromium")
    assert found, "the tests of the page need Chromium: apt-get install chromium"
    # Its sandbox does not start as root.
    arguments = [*_ARGUMENTS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=arguments)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the directory provider of the server makes its objects."""
    folder = tmp_path_factory.mktemp("provider") / "objects"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, objects: Path) -> Iterator[Served]:
    """A server that asks nobody who they are, with the directory provider."""
    folder = tmp_path_factory.mktemp("served")
    database = f"sqlite:///{new_sqlite_file(folder / 'hotplate.db')}"
    server = start("--objects", str(objects), database=database, folder=folder)
    yield server
    end(server)


expect.set_options(timeout=PATIENCE)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh tab, without anything that another test left."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB")
    tab = context.new_page()
    yield tab
    context.close()


@pytest.fixture
def browsing(page: Page, served: Served) -> Iterator[Browsing]:
    """A tab on the server; what the browser complains of fails the test."""
    found = Browsing(page, served)
    yield found
    assert not found.complaints, "\n".join(found.complaints)


@pytest.fixture(scope="session")
def pictures() -> Path:
    """Where screenshots go."""
    folder = Path(__file__).resolve().parents[2] / "build" / "page"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
