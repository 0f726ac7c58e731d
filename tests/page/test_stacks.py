"""The list of stacks, and one of them."""

from playwright.sync_api import expect

from tests.page.browsing import Browsing
from tests.page.recipes import PLAIN


def test_a_stack_is_found_in_the_list_and_shows_its_tree(browsing: Browsing) -> None:
    browsing.api("POST", "/stacks", {"stack_name": "hello", "template": PLAIN})
    browsing.open()
    browsing.page.get_by_role("link", name="hello").click()
    expect(browsing.page.get_by_role("heading", name="hello")).to_be_visible()
    expect(browsing.page.get_by_text("CREATE_COMPLETE").first).to_be_visible()
    expect(browsing.page.locator('[data-key="group/1"]')).to_be_visible()
    assert browsing.serious_faults() == []


def test_the_list_is_live_and_can_be_narrowed(browsing: Browsing) -> None:
    page = browsing.page
    browsing.open()
    browsing.api("POST", "/stacks", {"stack_name": "blue", "tags": "a,b", "template": PLAIN})
    browsing.api("POST", "/stacks", {"stack_name": "green", "tags": "b", "template": PLAIN})
    rows = page.get_by_role("row")
    expect(rows.filter(has_text="blue")).to_contain_text("CREATE_COMPLETE")
    expect(rows.filter(has_text="green")).to_contain_text("CREATE_COMPLETE")
    page.get_by_role("searchbox").fill("blu")
    expect(rows.filter(has_text="green")).to_have_count(0)
    page.get_by_role("searchbox").fill("")
    rows.filter(has_text="blue").get_by_role("button", name="a", exact=True).click()
    expect(rows.filter(has_text="green")).to_have_count(0)
    assert "tag=a" in page.url
    browsing.api("DELETE", "/stacks/blue")
    expect(rows.filter(has_text="blue")).to_have_count(0)
    listings = [each for each in browsing.requests if "/v1/" in each]
    assert len(listings) == 1, "the list was asked for again"
