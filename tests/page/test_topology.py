"""The topology: what is drawn is compared with what the API says."""

import re
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, expect

from tests.page.browsing import Browsing
from tests.page.shop import TEST, Listed, make_shop, wait


def open_topology(browsing: Browsing, name: str, query: str = "") -> None:
    """Show all of the picture, and wait until it is drawn."""
    browsing.open_stack(name, "topology", query)
    expect(browsing.page.locator(".topo-item").first).to_be_visible()
    expect(browsing.page.locator('.topology-frame[aria-busy="false"]')).to_be_visible()
    browsing.page.get_by_role("button", name="Fit").click()


def item(browsing: Browsing, key: str) -> Locator:
    return browsing.page.locator(f'.topo-item[data-key="{key}"]')


def focused(browsing: Browsing) -> Locator:
    return browsing.page.locator(".topo-item:focus")


class Picture:
    """The boxes and lines that are drawn, read from the page."""

    def __init__(self, browsing: Browsing) -> None:
        evaluate = browsing.page.locator(".topo-item").evaluate_all
        items: list[Any] = evaluate(
            "all => all.map(one => [one.dataset.key, one.getAttribute('aria-expanded')])"
        )
        self.open = {key for key, expanded in items if expanded == "true"}
        self.shown = {key for key, expanded in items if expanded != "true"}
        lines: list[Any] = browsing.page.locator('.topo-line[data-kind="requires"]').evaluate_all(
            "all => all.map(one => [one.dataset.from, one.dataset.to])"
        )
        self._lines: dict[str, list[str]] = defaultdict(list)
        for start, end in lines:
            self._lines[start].append(end)

    def edges(self) -> set[tuple[str, str]]:
        """Return where the lines lead, through the borders of open boxes."""
        return {(start, end) for start in self.shown for end in self._follow(start)}

    def _follow(self, start: str) -> Iterator[str]:
        for end in self._lines[start]:
            if end.endswith(">"):
                yield from self._follow(end.removesuffix(">"))
            elif end in self.open:
                yield from self._follow(f"{end}<")
            else:
                yield end


def test_every_leaf_is_drawn_and_lines_are_required_by_through_nesting(
    browsing: Browsing, pictures: Path
) -> None:
    make_shop(browsing)
    open_topology(browsing, "shop", "?boxes=all")
    listed, picture = Listed(browsing, "shop"), Picture(browsing)
    assert picture.shown == listed.leaves()
    assert picture.open == listed.boxes()
    assert len(listed.edges()) > 20
    assert picture.edges() == listed.edges()
    assert browsing.serious_faults() == []
    for scheme in ("light", "dark"):
        browsing.page.emulate_media(color_scheme=scheme)
        browsing.page.screenshot(path=pictures / f"topology-{scheme}.png")


def test_boxes_close_and_open_and_lines_end_at_closed_ones(browsing: Browsing) -> None:
    make_shop(browsing)
    open_topology(browsing, "shop", "?boxes=none")
    assert Picture(browsing).edges() == {
        ("network", "database"),
        ("database", "web"),
        ("web", "balancer"),
        ("network", "balancer"),
    }
    item(browsing, "web").dblclick()
    expect(item(browsing, "web/1")).to_be_visible()
    assert ("database", "web/1") in Picture(browsing).edges()
    assert "opened=web" in browsing.page.url
    browsing.page.reload()
    expect(item(browsing, "web/1")).to_be_visible()


def test_the_keyboard_walks_along_lines_opens_boxes_and_selects(browsing: Browsing) -> None:
    make_shop(browsing)
    open_topology(browsing, "shop", "?boxes=none")
    keyboard = browsing.page.keyboard
    item(browsing, "network").focus()
    keyboard.press("ArrowRight")
    expect(focused(browsing)).to_have_attribute("data-key", "database")
    keyboard.press("Space")
    expect(item(browsing, "database/primary")).to_be_visible()
    keyboard.press("ArrowDown")
    expect(focused(browsing)).to_have_attribute("data-key", "database/secret")
    keyboard.press("ArrowRight")
    expect(focused(browsing)).to_have_attribute("data-key", "database/nothing")
    keyboard.press("ArrowRight")
    expect(focused(browsing)).to_have_attribute("data-key", "database/primary")
    keyboard.press("Enter")
    expect(browsing.page.get_by_role("heading", name="primary")).to_be_visible()
    assert "r=database%2Fprimary" in browsing.page.url
    keyboard.press("Backspace")
    expect(focused(browsing)).to_have_attribute("data-key", "database")


def test_a_search_opens_the_boxes_around_what_it_finds(browsing: Browsing) -> None:
    make_shop(browsing)
    open_topology(browsing, "shop", "?boxes=none")
    search = browsing.page.get_by_role("searchbox")
    search.fill("1/volume")
    expect(browsing.page.get_by_text("1 found")).to_be_visible()
    search.press("Enter")
    expect(item(browsing, "web/1/volume")).to_be_visible()
    expect(item(browsing, "web/0/volume")).to_have_count(0)


def test_an_old_version_stands_beside_the_one_that_took_its_place(browsing: Browsing) -> None:
    def template(value: str) -> dict[str, Any]:
        properties = {"update_replace_value": value, "action_wait_secs": {"delete": -1}}
        server = {"type": TEST, "properties": properties}
        return {
            "heat_template_version": "wallaby",
            "resources": {"server": server, "user": {"type": TEST, "depends_on": "server"}},
        }

    body = {"stack_name": "replaced", "template": template("a")}
    browsing.api("POST", "/stacks", body)
    wait(browsing, "replaced", "CREATE_COMPLETE")
    open_topology(browsing, "replaced")
    stack = browsing.stack("replaced")
    browsing.api("PUT", f"/stacks/replaced/{stack['id']}", {"template": template("b")})
    old = browsing.page.locator(".topo-old")
    expect(old).to_have_attribute("data-key", re.compile("^server~"))
    expect(browsing.page.locator('.topo-line[data-kind="replaced"]')).to_have_count(1)


def test_a_status_changes_without_moving_anything(browsing: Browsing) -> None:
    resources = {
        "slow": {"type": TEST, "properties": {"wait_secs": 3}},
        "next": {"type": TEST, "depends_on": "slow"},
    }
    template = {"heat_template_version": "wallaby", "resources": resources}
    browsing.api("POST", "/stacks", {"stack_name": "live", "template": template})
    open_topology(browsing, "live")
    slow = item(browsing, "slow")
    expect(slow).to_contain_text("CREATE_IN_PROGRESS")
    expect(browsing.page.locator(".topo-line")).to_have_count(1)
    place = slow.get_attribute("transform")
    expect(item(browsing, "next")).to_contain_text("CREATE_COMPLETE")
    expect(slow).to_contain_text("CREATE_COMPLETE")
    assert slow.get_attribute("transform") == place


def test_the_picture_is_saved_as_a_file_of_its_own(browsing: Browsing, tmp_path: Path) -> None:
    make_shop(browsing)
    open_topology(browsing, "shop", "?boxes=all")
    saved = {}
    for kind in ("SVG", "PNG"):
        browsing.page.get_by_role("button", name="Save").click()
        with browsing.page.expect_download() as download:
            browsing.page.get_by_role("menuitem", name=f"As {kind}").click()
        saved[kind] = tmp_path / download.value.suggested_filename
        download.value.save_as(saved[kind])
    assert saved["PNG"].read_bytes().startswith(b"\x89PNG")
    svg = ET.parse(saved["SVG"]).getroot()
    space = "{http://www.w3.org/2000/svg}"
    keys = {each.get("data-key") for each in svg.iter(f"{space}g")} - {None}
    listed = Listed(browsing, "shop")
    assert keys == listed.leaves() | listed.boxes()
    style = svg.find(f"{space}style")
    assert style is not None
    assert ".topo-body" in (style.text or "")
    assert "url(http" not in (style.text or "")
