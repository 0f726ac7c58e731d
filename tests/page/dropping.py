"""Files that a user drops onto the page, as the browser hands them over."""

import json
from collections.abc import Mapping

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


def drop(page: Page, files: Mapping[str, str]) -> None:
    """Drop files, in this order."""
    page.locator(".create-target").wait_for()
    page.evaluate(_DROP, json.loads(json.dumps(dict(files))))


def operate(page: Page, operation: str) -> None:
    """Choose an operation of the stack from its menu."""
    page.get_by_role("button", name="Operations").click()
    page.get_by_role("menuitem", name=operation, exact=True).click()
