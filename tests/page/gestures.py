"""What users do with more than a click: drop files, choose an operation; and look at it."""

import json
from collections.abc import Mapping
from pathlib import Path

from playwright.sync_api import Page

_DROP = """(files) => {
    const transfer = new DataTransfer();
    for (const [name, text] of Object.entries(files))
        transfer.items.add(new File([text], name));
    const target = document.querySelector(".create-target");
    for (const type of ["dragenter", "dragover", "drop"])
        target.dispatchEvent(
            new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer }),
        );
}"""

LOOKS = {"light": (1280, 900), "dark": (1280, 900), "narrow": (400, 860)}


def drop(page: Page, files: Mapping[str, str]) -> None:
    """Drop files, in this order."""
    page.locator(".create-target").wait_for()
    page.evaluate(_DROP, json.loads(json.dumps(dict(files))))


def operate(page: Page, operation: str) -> None:
    """Choose an operation of the stack from its menu."""
    page.get_by_role("button", name="Operations").click()
    page.get_by_role("menuitem", name=operation, exact=True).click()


def photograph(page: Page, pictures: Path, name: str) -> None:
    """Take the view as it looks light, dark and on a narrow screen."""
    for look, (width, height) in LOOKS.items():
        page.emulate_media(color_scheme="dark" if look == "dark" else "light")
        page.set_viewport_size({"width": width, "height": height})
        page.screenshot(path=pictures / f"{name}-{look}.png")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 800})
