"""A tab of the browser on a server, in the words of the tests."""

from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import ConsoleMessage, Page, Request

from tests.acceptance.serving import Served

_AXE = Path(__file__).resolve().parents[2] / "page" / "node_modules" / "axe-core" / "axe.min.js"
PATIENCE = 20_000
"""Milliseconds for what a busy machine does late."""


class Browsing:
    """What a user sees; ``complaints`` is what the browser says of the page itself."""

    def __init__(self, page: Page, served: Served, project: str = "default") -> None:
        self.page = page
        self.served = served
        self.project = project
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("request", self._request)

    def _console(self, message: ConsoleMessage) -> None:
        # A refused request is part of some stories, and the page tells it in its own words.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.complaints.append(message.text)

    def _request(self, request: Request) -> None:
        self.requests.append(f"{request.method} {request.url}")

    def open(self, hash_: str = "") -> None:
        """Go to an address of the page; what stands behind `#` names the view."""
        self.page.goto(f"{self.served.url}/{hash_}")

    def open_stack(self, name: str, tab: str = "tree", query: str = "") -> None:
        stack = self.api("GET", f"/stacks/{name}")["stack"]
        self.open(f"#/{self.project}/stacks/{name}/{stack['id']}/{tab}{query}")

    def api(self, method: str, path: str, body: Any = None) -> Any:
        """Ask the server itself, beside the page."""
        answer = httpx.request(
            method,
            f"{self.served.endpoint(self.project)}{path}",
            json=body,
            follow_redirects=True,
            timeout=30,
        )
        assert answer.status_code < 400, answer.text
        return answer.json() if answer.content else None

    def serious_faults(self) -> list[str]:
        """Return what axe-core finds that keeps people out, in words."""
        # Playwright runs it in the page's own world, past its policy.
        self.page.evaluate(_AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{each['id']}: {each['help']}: {node['html'][:200]} {node['failureSummary'][:300]}"
            for each in found["violations"]
            if each["impact"] in {"serious", "critical"}
            for node in each["nodes"]
        ]
