"""The list of stacks, and one of them."""

from playwright.sync_api import expect

from tests.page.browsing import Browsing

TEMPLATE = {
    "heat_template_version": "wallaby",
    "resources": {
        "word": {"type": "OS::Heat::RandomString"},
        "group": {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": 2, "resource_def": {"type": "OS::Heat::None"}},
        },
    },
}


def test_a_stack_is_found_in_the_list_and_shows_its_tree(browsing: Browsing) -> None:
    browsing.api("POST", "/stacks", {"stack_name": "hello", "template": TEMPLATE})
    browsing.open()
    browsing.page.get_by_role("link", name="hello").click()
    expect(browsing.page.get_by_role("heading", name="hello")).to_be_visible()
    expect(browsing.page.get_by_text("CREATE_COMPLETE").first).to_be_visible()
    expect(browsing.page.locator('[data-key="group/1"]')).to_be_visible()
    assert browsing.serious_faults() == []
