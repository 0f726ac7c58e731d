"""A tab of the browser on a server, in the words of the tests."""

import time
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import ConsoleMessage, Locator, Page, Request, expect

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
        self.open(f"#/{self.project}/stacks/{name}/{self.stack(name)['id']}/{tab}{query}")

    def api(self, method: str, path: str, body: Any = None) -> Any:
        """Ask the server itself, beside the page."""
        answer = httpx.request(
            method, f"{self.served.endpoint(self.project)}{path}", json=body, timeout=30
        )
        if answer.status_code == 302:
            # As clients of Heat do: the same request once more, at the canonical address.
            answer = httpx.request(method, answer.headers["location"], json=body, timeout=30)
        assert answer.status_code < 400, answer.text
        return answer.json() if answer.content else None

    def stack(self, name: str) -> Any:
        """Return a stack as the API tells it."""
        return self.api("GET", f"/stacks/{name}")["stack"]

    def resources(self, name: str) -> list[dict[str, Any]]:
        """Return all resources of a stack, through all nesting, each with its path."""
        found: list[dict[str, Any]] = []

        def add(stack: Any, above: tuple[str, ...]) -> None:
            for each in stack["resources"]:
                path = (*above, each["resource_name"])
                old = f"~{each['physical_resource_id']}" if each["is_old"] else ""
                found.append({**each, "key": "/".join(path) + old})
                if "stack" in each:
                    add(each["stack"], path)

        add(self.api("GET", f"/stacks/{name}/tree")["stack"], ())
        return found

    def physical_id(self, name: str, key: str) -> str:
        [found] = [each for each in self.resources(name) if each["key"] == key]
        return str(found["physical_resource_id"])

    def wait_until(self, name: str, key: str, status: str) -> None:
        """Wait until a resource, or with an empty key the stack itself, has a status."""
        for _ in range(400):
            if not key:
                found = self.stack(name)["stack_status"]
            else:
                states = {each["key"]: each["resource_status"] for each in self.resources(name)}
                found = states.get(key, "")
            if found == status:
                return
            time.sleep(0.05)
        raise AssertionError(f"{name} {key} is {found}, not {status}")

    def tab_to(self, selector: str) -> None:
        """Press Tab until the focus is on something."""
        for _ in range(60):
            self.page.keyboard.press("Tab")
            if self.page.locator(selector).first.evaluate("it => it === document.activeElement"):
                return
        raise AssertionError(f"the keyboard does not reach {selector}")

    def row(self, key: str) -> Locator:
        """The row of a resource in the tree, by its path."""
        return self.page.locator(f'.tree-row[data-key="{key}"]')

    def expect_status(self, key: str, status: str) -> None:
        expect(self.row(key)).to_have_attribute("data-status", status, timeout=PATIENCE)

    def expect_tree_of_api(self, name: str) -> None:
        """The tree on the page has what the API has, in its order, with the same statuses."""
        wanted = [(each["key"], each["resource_status"]) for each in self.resources(name)]
        last = self.page.locator(".tree-row").nth(len(wanted) - 1)
        expect(last).to_have_attribute("data-key", wanted[-1][0], timeout=PATIENCE)
        self.page.wait_for_function(
            """wanted => {
                const rows = [...document.querySelectorAll('.tree-row')];
                return JSON.stringify(rows.map(row => [row.dataset.key, row.dataset.status]))
                    === JSON.stringify(wanted);
            }""",
            arg=[list(each) for each in wanted],
        )

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
