"""Who may see the page, and what a browser may do with it."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.acceptance.serving import COMMAND, Served, end, start
from tests.page.browsing import Browsing
from tests.page.gestures import photograph


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Served]:
    """A server that wants a token of its file."""
    tokens = tmp_path / "tokens"
    tokens.write_text("ada-token ada kitchen\n", encoding="utf-8")
    tokens.chmod(0o600)
    database = f"sqlite:///{tmp_path / 'hotplate.db'}"
    server = start("--auth-tokens", str(tokens), database=database, folder=tmp_path)
    yield server
    end(server)


def test_a_token_is_asked_for_and_kept_in_memory_only(page: Page, guarded: Served) -> None:
    browsing = Browsing(page, guarded, "kitchen")
    browsing.open()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert browsing.serious_faults() == []
    page.get_by_label("Token").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("not accepted")
    page.get_by_label("Token").fill("ada-token")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("No stacks yet")).to_be_visible()
    expect(page.locator(".who")).to_contain_text("kitchen")
    kept = page.evaluate("() => JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert "ada-token" not in kept + page.url
    assert page.context.cookies() == []
    page.reload()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_credentials_for_keystone_are_asked_for_in_three_ways(
    page: Page, served: Served, pictures: Path
) -> None:
    """The form alone; `tests/identity` signs in with it at a real Keystone."""
    browsing = Browsing(page, served)
    told = {"method": "keystone", "version": "1"}
    page.route("**/page/sign-in", lambda route: route.fulfill(json=told))
    browsing.open()
    expect(page.get_by_label("Password", exact=True).nth(1)).to_be_visible()
    for kind, field in (
        ("Password", "User name"),
        ("Application credential", "Secret"),
        ("Token", "Token"),
    ):
        page.get_by_role("radio", name=kind).check()
        expect(
            page.get_by_role("textbox", name=field).or_(page.get_by_label(field)).last
        ).to_be_visible()
        assert browsing.serious_faults() == []
        photograph(page, pictures, f"sign-in-{kind.split()[0].lower()}")


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[str]:
    """The address that `hotplate ui` prints."""
    process = subprocess.Popen(
        [COMMAND, "ui", "--no-browser", "--database", f"sqlite:///{tmp_path / 'own.db'}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )
    assert process.stdout is not None
    match = re.fullmatch(
        r"The page: (http://127\.0\.0\.1:\d+/#secret=\S+)\n", process.stdout.readline()
    )
    assert match is not None
    yield match[1]
    process.terminate()
    assert process.wait(30) == 0
    process.stdout.close()


def test_the_address_that_ui_prints_lets_in_once(page: Page, opened: str) -> None:
    root = opened.partition("#")[0]
    assert httpx.get(f"{root}v1/default/stacks").status_code == 401
    page.goto(opened)
    expect(page.get_by_text("No stacks yet")).to_be_visible()
    assert "secret" not in page.url
    page.goto("about:blank")
    page.goto(opened)
    expect(page.get_by_text("Press Enter")).to_have_count(2)


def test_browsers_get_the_page_and_clients_the_versions(served: Served) -> None:
    page = httpx.get(served.url, headers={"accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert page.headers["content-type"].startswith("text/html")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    assert "<script>" not in page.text
    assert "style=" not in page.text
    assert httpx.get(served.url).json()["versions"][0]["id"] == "v1.0"
    assert httpx.get(served.url, headers={"accept": "application/json"}).status_code == 300
    script = re.search(r'src="(/assets/[^"]+\.js)"', page.text)
    assert script is not None
    found = httpx.get(f"{served.url}{script[1]}")
    assert "immutable" in found.headers["cache-control"]
    assert found.headers["content-encoding"] == "gzip"
