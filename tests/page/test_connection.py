"""What the page does while the server is away."""

import socket
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.acceptance.serving import Served, end, start, stop
from tests.page.browsing import Browsing
from tests.page.recipes import shop
from tests.page.test_workflows import HELD, mistral, release


def _start(folder: Path, port: int) -> Served:
    return start(
        "--listen",
        f"127.0.0.1:{port}",
        "--objects",
        str(folder / "objects"),
        database=f"sqlite:///{folder / 'hotplate.db'}",
        folder=folder,
    )


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def test_a_server_that_comes_back_is_followed_without_loss(page: Page, tmp_path: Path) -> None:
    (tmp_path / "objects").mkdir()
    port = _free_port()
    served = _start(tmp_path, port)
    try:
        browsing = Browsing(page, served)
        browsing.api("POST", "/stacks", {"stack_name": "shop", **shop()})
        browsing.open_stack("shop", "tree")
        browsing.expect_status("gate", "CREATE_IN_PROGRESS")
        at = f"/stacks/shop/{browsing.stack('shop')['id']}"
        stop(served)
        expect(page.get_by_text("connection lost")).to_be_visible()
        served = _start(tmp_path, port)
        # It goes on before the page has noticed: nothing of it may be missed.
        browsing.served = served
        browsing.api("POST", f"{at}/resources/handle/signal", {"status": "SUCCESS"})
        expect(page.locator(".stack-title .badge")).to_have_text("CREATE_COMPLETE")
        browsing.expect_tree_of_api("shop")
        trees = [each for each in browsing.requests if "/tree" in each]
        page.get_by_role("tab", name="Events").click()
        wanted = len(browsing.api("GET", f"{at}/events?nested_depth=MAX")["events"])
        expect(page.locator(".events tbody tr")).to_have_count(wanted)
        assert len(trees) < 10, trees
    finally:
        end(served)


def test_an_execution_is_followed_over_the_end_of_the_server(page: Page, tmp_path: Path) -> None:
    (tmp_path / "objects").mkdir()
    port = _free_port()
    served = _start(tmp_path, port)
    try:
        browsing = Browsing(page, served)
        headers = {"content-type": "text/plain"}
        mistral(browsing, "POST", "/workflows", content=HELD, headers=headers)
        body = {"workflow_name": "held", "input": {"name": "Ada"}}
        execution = mistral(browsing, "POST", "/executions", json=body)["id"]
        browsing.open(f"#/default/workflows/{execution}")
        expect(page.get_by_role("button", name="wait RUNNING")).to_be_visible()
        stop(served)
        expect(page.get_by_text("connection lost")).to_be_visible()
        served = _start(tmp_path, port)
        browsing.served = served
        release(browsing)
        expect(page.get_by_role("button", name="end SUCCESS")).to_be_visible()
        expect(page.get_by_role("region", name="Output")).to_contain_text("hello Ada")
        expect(page.get_by_text("connection lost")).to_have_count(0)
    finally:
        end(served)
