"""Every view in light and dark: nothing keeps people out of it, and a picture of each."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.acceptance.serving import Served
from tests.page.browsing import Browsing
from tests.page.gestures import photograph
from tests.page.recipes import shop

_VIEWS = {
    "stacks": "#/default/stacks",
    "tree": "#/default/stacks/shop/{shop}/tree?r=web/0/server",
    "events": "#/default/stacks/shop/{shop}/events",
    "environment": "#/default/stacks/shop/{shop}/environment",
    "template": "#/default/stacks/shop/{shop}/template",
    "parameters": "#/default/stacks/shop/{shop}/parameters",
    "outputs": "#/default/stacks/shop/{shop}/outputs",
    "snapshots": "#/default/stacks/shop/{shop}/snapshots",
    "failed": "#/default/stacks/broken/{broken}/tree?r=web/1/server&part=why",
    "properties": "#/default/stacks/shop/{shop}/tree?r=database&part=properties",
    "attributes": "#/default/stacks/shop/{shop}/tree?r=database&part=attributes",
    "history": "#/default/stacks/shop/{shop}/tree?r=handle&part=events",
    "json": "#/default/stacks/shop/{shop}/tree?r=database&part=raw",
}
_SETTLED = {
    "template": ".text-view",
    "environment": ".table[aria-label='Effective values']",
    "parameters": ".table[aria-label=Parameters]",
    "outputs": ".table[aria-label=Outputs]",
    "snapshots": ".table[aria-label=Snapshots]",
    "failed": ".why li",
}
"""What is there when a view is complete; most have nothing to wait for but the end of loading."""


@pytest.fixture(scope="module")
def stacks(browser: Browser, served: Served) -> dict[str, str]:
    """The ids of two stacks, one at rest with a snapshot and one that failed, by their names."""
    context = browser.new_context()
    browsing = Browsing(context.new_page(), served)
    body = {"stack_name": "shop", "tags": "prod,web", **shop()}
    browsing.api("POST", "/stacks", body)
    handle = "/resources/handle/signal"
    at = f"/stacks/shop/{browsing.stack('shop')['id']}"
    browsing.wait_until("shop", "gate", "CREATE_IN_PROGRESS")
    browsing.api("POST", f"{at}{handle}", {"status": "SUCCESS", "reason": "go"})
    browsing.wait_until("shop", "", "CREATE_COMPLETE")
    browsing.api("POST", f"{at}/snapshots", {"name": "before the sale"})
    browsing.wait_until("shop", "", "SNAPSHOT_COMPLETE")
    broken = shop()
    del broken["template"]["resources"]["gate"]
    broken["template"]["resources"]["database"].pop("depends_on")
    broken["files"]["server.yaml"] = broken["files"]["server.yaml"].replace(
        '"Hotplate::Directory::File", "properties": {"content": {"get_param"',
        '"OS::Heat::TestResource", "properties": {"fail": true, "value": {"get_param"',
    )
    broken["files"]["server.yaml"] = broken["files"]["server.yaml"].replace(
        ', "tags": {"disk": {"get_resource": "disk"}}', ""
    )
    browsing.api("POST", "/stacks", {"stack_name": "broken", "tags": "test", **broken})
    browsing.wait_until("broken", "", "CREATE_FAILED")
    ids = {name: browsing.stack(name)["id"] for name in ("shop", "broken")}
    context.close()
    return ids


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_view_has_no_serious_fault(
    browser: Browser, served: Served, stacks: dict[str, str], pictures: Path, scheme: str
) -> None:
    context = browser.new_context(
        viewport={"width": 1280, "height": 760},
        color_scheme="dark" if scheme == "dark" else "light",
        locale="en-GB",
    )
    browsing = Browsing(context.new_page(), served)
    page = browsing.page
    faults: list[str] = []
    for name, address in _VIEWS.items():
        page.goto("about:blank")
        browsing.open(address.format(**stacks))
        expect(page.locator(_SETTLED.get(name, "main")).first).to_be_visible()
        expect(page.locator(".spinner")).to_have_count(0)
        page.screenshot(path=pictures / f"{name}-{scheme}.png")
        faults += [f"{name}: {each}" for each in browsing.serious_faults()]
    assert not faults, "\n".join(faults)
    assert not browsing.complaints, "\n".join(browsing.complaints)
    context.close()


def test_dialogs_hold_the_focus_and_have_no_serious_fault(
    browsing: Browsing, stacks: dict[str, str], pictures: Path
) -> None:
    page = browsing.page
    for name in ("Mark unhealthy", "Signal"):
        browsing.open(_VIEWS["tree"].format(**stacks))
        page.get_by_role("button", name=name, exact=True).click()
        expect(page.get_by_role("dialog")).to_be_visible()
        assert browsing.serious_faults() == []
        photograph(page, pictures, f"resource-{name.split()[0].lower()}")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.get_by_role("button", name=name, exact=True)).to_be_focused()


def test_a_narrow_screen_scrolls_in_one_direction_only(
    browser: Browser, served: Served, stacks: dict[str, str], pictures: Path
) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 780}, locale="en-GB")
    browsing = Browsing(context.new_page(), served)
    page = browsing.page
    for name, address in _VIEWS.items():
        page.goto("about:blank")
        browsing.open(address.format(**stacks))
        expect(page.locator(_SETTLED.get(name, "main")).first).to_be_attached()
        expect(page.locator(".spinner")).to_have_count(0)
        page.screenshot(path=pictures / f"{name}-narrow.png")
        wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
        assert not wide, f"{name} is wider than the screen"
    context.close()


def test_the_tree_is_worked_with_the_keyboard_alone(
    browsing: Browsing, stacks: dict[str, str]
) -> None:
    page = browsing.page
    browsing.open(_VIEWS["stacks"])
    expect(page.get_by_role("link", name="shop")).to_be_visible()
    browsing.tab_to('a:text-is("shop")')
    page.keyboard.press("Enter")
    expect(page.get_by_role("tree")).to_be_visible()
    browsing.tab_to('[role="tree"]')
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.get_by_role("complementary")).to_be_visible()
    assert "r=web" in page.url
    page.keyboard.press("Escape")
    expect(page.get_by_role("complementary")).to_have_count(0)


def test_a_view_is_shared_by_its_address(browsing: Browsing, stacks: dict[str, str]) -> None:
    browsing.open(f"#/default/stacks/shop/{stacks['shop']}/tree?q=server&r=web%2F1%2Fserver")
    page = browsing.page
    expect(page.locator(".tree-row.selected")).to_have_attribute("data-key", "web/1/server")
    keys = page.locator(".tree-row").evaluate_all("rows => rows.map(row => row.dataset.key)")
    assert keys == ["web", "web/0", "web/0/server", "web/1", "web/1/server"]
    expect(page).to_have_title("shop · Hotplate")
    page.locator("#tab-events").click()
    page.go_back()
    expect(page.locator(".tree-row.selected")).to_have_attribute("data-key", "web/1/server")
    browsing.open("#/default/stacks/shop")
    expect(page.get_by_role("tree")).to_be_visible()
    assert stacks["shop"] in page.url
    page.goto("about:blank")
    browsing.open("#/default/stacks/nowhere")
    expect(page.get_by_role("alert")).to_contain_text("could not be found")
