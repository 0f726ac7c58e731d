"""The timeline: when each resource began and ended, and what the others waited for."""

from pathlib import Path

from playwright.sync_api import Locator, expect

from tests.page.browsing import Browsing
from tests.page.shop import TEST, Listed, make_shop


def lane(browsing: Browsing, key: str) -> Locator:
    return browsing.page.locator(f'.timeline-row[data-key="{key}"]')


def keys(browsing: Browsing, only: str = "") -> set[str]:
    rows = browsing.page.locator(f".timeline-row{only}")
    return set(rows.evaluate_all("all => all.map(one => one.dataset.key)"))


def test_every_resource_has_a_lane_and_the_critical_path_is_marked(
    browsing: Browsing, pictures: Path
) -> None:
    make_shop(browsing)
    browsing.page.set_viewport_size({"width": 1280, "height": 1200})
    browsing.open_stack("shop", "timeline", "?boxes=all")
    expect(lane(browsing, "balancer")).to_be_visible()
    listed = Listed(browsing, "shop")
    assert keys(browsing) == listed.leaves() | listed.boxes()
    critical = keys(browsing, "[data-critical]")
    # It takes two seconds, and everything behind it waits for it.
    assert {"database", "database/primary", "balancer"} <= critical
    assert "alarm" not in critical
    primary = lane(browsing, "database/primary")
    expect(primary).to_contain_text("CREATE_COMPLETE from")
    expect(primary).to_contain_text("on the critical path")
    assert browsing.serious_faults() == []
    for scheme in ("light", "dark"):
        browsing.page.emulate_media(color_scheme=scheme)
        browsing.page.screenshot(path=pictures / f"timeline-{scheme}.png")


def test_the_keyboard_moves_closes_zooms_and_selects(browsing: Browsing) -> None:
    make_shop(browsing)
    browsing.open_stack("shop", "timeline", "?boxes=all")
    grid = browsing.page.get_by_role("treegrid")
    grid.focus()
    keyboard = browsing.page.keyboard
    keyboard.press("c")
    expect(browsing.page.locator(".timeline-row.active")).to_have_attribute("data-critical", "")
    keyboard.press("Home")
    for _ in range(40):
        if browsing.page.locator('.timeline-row.active[data-key="database"]').count():
            break
        keyboard.press("ArrowDown")
    keyboard.press("ArrowLeft")
    expect(lane(browsing, "database")).to_have_attribute("aria-expanded", "false")
    expect(lane(browsing, "database/primary")).to_have_count(0)
    keyboard.press("Enter")
    expect(browsing.page.get_by_role("heading", name="database")).to_be_visible()
    keyboard.press("+")
    expect(browsing.page.get_by_role("button", name="Zoom out")).to_be_enabled()
    assert "zoom=1.5" in browsing.page.url


def test_bars_grow_while_something_runs_and_end_with_it(browsing: Browsing) -> None:
    slow = {"type": TEST, "properties": {"wait_secs": 4}}
    after = {"type": TEST, "depends_on": "slow"}
    template = {"heat_template_version": "wallaby", "resources": {"slow": slow, "after": after}}
    browsing.api("POST", "/stacks", {"stack_name": "growing", "template": template})
    browsing.open_stack("growing", "timeline")
    expect(lane(browsing, "slow").locator(".timeline-bar.running")).to_be_visible()
    expect(lane(browsing, "slow").locator(".timeline-took")).to_have_text("2 s")
    expect(lane(browsing, "after").locator(".timeline-bar.done")).to_be_visible()
    expect(lane(browsing, "slow").locator(".timeline-bar.done")).to_be_visible()
    expect(lane(browsing, "slow")).to_have_attribute("data-critical", "")
    expect(lane(browsing, "after")).to_have_attribute("data-critical", "")
    assert keys(browsing, "[data-critical]") == {"slow", "after"}
