"""A stack with nesting and groups from its first moment to its last, as a user sees it."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import expect

from tests.page.browsing import Browsing
from tests.page.recipes import shop


@contextmanager
def directory_away(objects: Path) -> Iterator[None]:
    """What is made in the directory fails for the length of a block."""
    away = objects.with_name("away")
    objects.rename(away)
    objects.write_text("in the way", encoding="utf-8")
    try:
        yield
    finally:
        objects.unlink()
        away.rename(objects)


def test_up_follow_fail_find_the_cause_retry_replace_delete(
    browsing: Browsing, objects: Path
) -> None:
    page = browsing.page
    browsing.open()
    expect(page.get_by_text("No stacks yet")).to_be_visible()

    # Up: it comes into the list by itself, and is followed from there.
    browsing.api("POST", "/stacks", {"stack_name": "shop", "tags": "prod", **shop()})
    page.get_by_role("link", name="shop").click()
    expect(page.locator(".stack-title .badge")).to_have_text("CREATE_IN_PROGRESS")
    browsing.expect_status("gate", "CREATE_IN_PROGRESS")
    browsing.expect_status("web", "INIT_COMPLETE")

    with directory_away(objects):
        # Signal: by the panel of the resource.
        browsing.row("handle").click()
        page.get_by_role("button", name="Signal", exact=True).click()
        page.get_by_role("dialog").get_by_role("button", name="Signal", exact=True).click()
        # Fail: the words of the leaf are there without a click.
        expect(page.locator(".stack-title .badge")).to_have_text("CREATE_FAILED")
        browsing.expect_status("database", "CREATE_FAILED")
        causes = page.get_by_label("Root causes")
        [failure] = browsing.stack("shop")["failures"]
        expect(causes).to_contain_text(failure["reason"])

    # Find the cause: one click, and why.
    causes.get_by_role("button", name="database").click()
    panel = page.get_by_role("complementary")
    expect(panel.get_by_role("heading", name="database")).to_be_visible()
    panel.get_by_role("tab", name="Why").click()
    expect(panel.locator(".why")).to_contain_text("database")
    assert browsing.serious_faults() == []

    # Retry: what was in the way has gone.
    panel.get_by_role("button", name="Retry the stack").click()
    expect(page.locator(".stack-title .badge")).to_have_text("UPDATE_COMPLETE")
    expect(causes).to_be_hidden()
    browsing.expect_status("web/1/server", "CREATE_COMPLETE")
    browsing.expect_tree_of_api("shop")

    # Replace: another object stands for the name, and the page knows it.
    before = browsing.physical_id("shop", "database")
    browsing.row("database").click()
    panel.get_by_role("tab", name="Overview").click()
    expect(panel).to_contain_text(before)
    browsing.api("PATCH", f"/stacks/shop/{browsing.stack('shop')['id']}", shop(kind="other"))
    expect(panel).not_to_contain_text(before)
    expect(page.locator(".stack-title .badge")).to_have_text("UPDATE_COMPLETE")
    expect(panel).to_contain_text(browsing.physical_id("shop", "database"))
    browsing.expect_tree_of_api("shop")

    # Delete: followed to the end, and then it is no longer in the list.
    browsing.api("DELETE", f"/stacks/shop/{browsing.stack('shop')['id']}")
    expect(page.locator(".stack-title .badge")).to_have_text("DELETE_COMPLETE")
    expect(page.get_by_text("no more events")).to_be_visible()
    page.get_by_role("link", name="Stacks").first.click()
    expect(page.get_by_text("No stacks yet")).to_be_visible()
    assert os.listdir(objects) == []


def test_what_waits_at_a_hook_is_shown_and_let_go(browsing: Browsing) -> None:
    template = {
        "heat_template_version": "wallaby",
        "resources": {"word": {"type": "OS::Heat::RandomString"}},
    }
    hooks = {"resource_registry": {"resources": {"word": {"hooks": "pre-create"}}}}
    body = {"stack_name": "held", "template": template, "environment": hooks}
    browsing.api("POST", "/stacks", body)
    browsing.open_stack("held", query="?r=word")
    panel = browsing.page.get_by_role("complementary")
    panel.get_by_role("button", name="Clear hook pre-create").click()
    browsing.expect_status("word", "CREATE_COMPLETE")
    browsing.api("DELETE", "/stacks/held")


def test_a_resource_is_marked_unhealthy_with_a_reason(browsing: Browsing) -> None:
    template = {
        "heat_template_version": "wallaby",
        "resources": {"word": {"type": "OS::Heat::RandomString"}},
    }
    browsing.api("POST", "/stacks", {"stack_name": "sick", "template": template})
    browsing.open_stack("sick", query="?r=word")
    browsing.expect_status("word", "CREATE_COMPLETE")
    page = browsing.page
    page.get_by_role("button", name="Mark unhealthy").click()
    page.get_by_label("Reason, for those who look later").fill("it smells")
    page.get_by_role("dialog").get_by_role("button", name="Mark unhealthy").click()
    browsing.expect_status("word", "CHECK_FAILED")
    expect(page.get_by_role("complementary")).to_contain_text("it smells")
    browsing.api("DELETE", "/stacks/sick")


def test_a_tree_is_asked_for_when_something_comes_and_never_again(browsing: Browsing) -> None:
    page = browsing.page
    page.clock.install()
    browsing.api("POST", "/stacks", {"stack_name": "grown", **shop(size=4)})
    browsing.open_stack("grown")
    browsing.expect_status("gate", "CREATE_IN_PROGRESS")
    at = f"/stacks/grown/{browsing.stack('grown')['id']}"
    browsing.api("POST", f"{at}/resources/handle/signal", {"status": "SUCCESS"})
    expect(page.locator(".stack-title .badge")).to_have_text("CREATE_COMPLETE")
    browsing.expect_tree_of_api("grown")
    # What was still to be looked at has its time: the end of an operation is.
    for _ in range(5):
        before = len(browsing.requests)
        page.clock.fast_forward(1_000)
        page.evaluate("() => fetch('/healthcheck').then(answer => answer.text())")
        if len(browsing.requests) == before + 1:
            break
    before = len(browsing.requests)
    # Half a minute in a moment; the clock of the page shows it.
    page.clock.fast_forward(30_000)
    expect(page.locator(".stack-facts")).to_contain_text(re.compile(r"created 3\d s ago"))
    assert browsing.requests[before:] == []
    trees = [each for each in browsing.requests if "/tree" in each]
    assert len(trees) <= 1 + 5 + 1, "once, each nested stack that came, and the end"
    browsing.api("DELETE", at)
