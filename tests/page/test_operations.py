"""Operations on a stack: each is previewed first, and tells the way on when it is refused."""

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.page.browsing import Browsing
from tests.page.gestures import drop, operate, photograph
from tests.page.test_story import directory_away

INNER = """\
heat_template_version: wallaby
resources:
  word: {type: OS::Heat::RandomString}
  kept: {type: OS::Heat::RandomString, deletion_policy: Retain}
"""
TEMPLATE = """\
heat_template_version: wallaby
parameters:
  salt: {type: string, default: one}
resources:
  inner: {type: inner.yaml}
  guarded: {type: OS::Heat::RandomString}
  salted: {type: OS::Heat::RandomString, properties: {salt: {get_param: salt}}}
  slow: {type: OS::Heat::TestResource}
  group:
    type: OS::Heat::ResourceGroup
    properties: {count: 2, resource_def: {type: OS::Heat::TestResource}}
"""
WAITING = """\
  handle: {type: OS::Heat::WaitConditionHandle}
  ready:
    type: OS::Heat::WaitCondition
    properties: {handle: {get_resource: handle}, timeout: 600}
"""
GUARDS = "resource_registry: {resources: {guarded: {hooks: pre-delete}}}"


def make(browsing: Browsing, name: str, **more: Any) -> str:
    """Create a stack beside the page, open it, and return its address."""
    body = {"stack_name": name, "template": TEMPLATE, "files": {"inner.yaml": INNER}, **more}
    made = browsing.api("POST", "/stacks", body)["stack"]
    browsing.open_stack(name)
    status(browsing.page, "CREATE_COMPLETE")
    return f"/stacks/{name}/{made['id']}"


def status(page: Page, expected: str) -> None:
    expect(page.locator(".stack-title .badge")).to_have_text(expected, timeout=20_000)


def asked(page: Page, operation: str, title: str) -> Locator:
    operate(page, operation)
    dialog = page.get_by_role("dialog", name=title)
    expect(dialog).to_be_visible()
    return dialog


def test_a_deletion_lists_everything_by_nesting_and_its_number_is_typed(
    browsing: Browsing, pictures: Path
) -> None:
    place = make(browsing, "doomed", environment=GUARDS)
    page = browsing.page
    dialog = asked(page, "Delete", "Delete doomed")
    expect(dialog.get_by_role("status")).to_contain_text("1 protected, 7 deleted, 1 kept by policy")
    told = browsing.api("GET", f"{place}/deletion")["deletion"]
    for title, step in (
        ("Deleted", "deleted"),
        ("Kept by policy", "kept"),
        ("Protected", "waiting"),
    ):
        group = dialog.get_by_role("region", name=title)
        names = group.locator(".operations-name").all_text_contents()
        paths = sorted(".".join(each["path"]) for each in told if each["step"] == step)
        assert sorted(names) == paths
    expect(dialog).to_contain_text("kept: its deletion policy is Retain")
    assert browsing.serious_faults() == []
    photograph(page, pictures, "operations-delete")
    delete = dialog.get_by_role("button", name="Delete 8 resources")
    expect(delete).to_be_disabled()
    dialog.get_by_label("Type the number").fill("7")
    expect(delete).to_be_disabled()
    dialog.get_by_label("Type the number").fill("8")
    delete.click()
    expect(dialog).to_be_hidden()
    status(page, "DELETE_IN_PROGRESS")
    browsing.api("POST", f"{place}/resources/guarded/signal", {"unset_hook": "pre-delete"})
    status(page, "DELETE_COMPLETE")


def test_a_deletion_of_what_has_moved_meanwhile_is_refused_and_shown_anew(
    browsing: Browsing,
) -> None:
    place = make(browsing, "moving")
    page = browsing.page
    dialog = asked(page, "Delete", "Delete moving")
    expect(dialog.get_by_role("button", name="Delete 8 resources")).to_be_enabled()
    fewer = TEMPLATE.replace("count: 2", "count: 0")
    browsing.api("PATCH", place, {"template": fewer})
    dialog.get_by_role("button", name="Delete 8 resources").click()
    expect(dialog.get_by_role("alert")).to_contain_text("has changed since")
    expect(dialog.get_by_role("button", name="Delete 6 resources")).to_be_enabled()
    dialog.get_by_role("button", name="Delete 6 resources").click()
    status(page, "DELETE_COMPLETE")


def test_everything_goes_by_keyboard_and_the_focus_comes_back(browsing: Browsing) -> None:
    make(browsing, "keys")
    page = browsing.page
    page.get_by_role("button", name="Operations").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem", name="Update", exact=True)).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("menuitem", name="Delete", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Delete keys")
    expect(dialog.get_by_role("button", name="Delete 8 resources")).to_be_enabled()
    for _ in range(12):
        page.keyboard.press("Tab")
        inside = page.evaluate(
            "() => document.activeElement === document.body"
            " || !!document.activeElement.closest('dialog')"
        )
        assert inside, "the focus has left the dialog"
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("button", name="Operations")).to_be_focused()
    page.keyboard.press("Enter")
    # What cannot be done says why.
    expect(page.get_by_role("menuitem", name="Retry")).to_contain_text("it has not failed")
    expect(page.get_by_role("menuitem", name="Resume")).to_have_attribute("aria-disabled", "true")
    assert browsing.serious_faults() == []


def test_a_stack_is_suspended_resumed_checked_kept_and_restored(
    browsing: Browsing, pictures: Path
) -> None:
    place = make(browsing, "visited")
    page = browsing.page
    for operation, verb, done in (
        ("Suspend", "Suspend 7 resources", "SUSPEND_COMPLETE"),
        ("Resume", "Resume 7 resources", "RESUME_COMPLETE"),
        ("Check", "Check 7 resources", "CHECK_COMPLETE"),
    ):
        dialog = asked(page, operation, f"{operation} visited")
        expect(dialog.get_by_role("button", name=verb)).to_be_enabled()
        assert browsing.serious_faults() == []
        photograph(page, pictures, f"operations-{operation.lower()}")
        dialog.get_by_role("button", name=verb).click()
        status(page, done)
    dialog = asked(page, "Snapshot", "Take a snapshot of visited")
    dialog.get_by_label("Name of the snapshot").fill("before")
    assert browsing.serious_faults() == []
    photograph(page, pictures, "operations-snapshot")
    dialog.get_by_role("button", name="Take a snapshot").click()
    status(page, "SNAPSHOT_COMPLETE")
    browsing.api("PATCH", place, {"parameters": {"salt": "two"}})
    status(page, "UPDATE_COMPLETE")
    dialog = asked(page, "Restore", "Restore visited")
    expect(dialog.get_by_role("button", name="Restore", exact=True)).to_be_disabled()
    dialog.get_by_label("before").check()
    assert browsing.serious_faults() == []
    photograph(page, pictures, "operations-restore")
    dialog.get_by_role("button", name="Restore", exact=True).click()
    status(page, "RESTORE_COMPLETE")
    assert browsing.api("GET", place)["stack"]["parameters"]["salt"] == "one"


def test_an_update_is_cancelled_and_rolled_back_with_its_plan(
    browsing: Browsing, pictures: Path
) -> None:
    place = make(browsing, "turning")
    page = browsing.page
    waiting = TEMPLATE + WAITING
    browsing.api("PATCH", place, {"template": waiting, "parameters": {"salt": "two"}})
    status(page, "UPDATE_IN_PROGRESS")
    dialog = asked(page, "Cancel", "Cancel turning")
    dialog.get_by_label("stay where it is").check()
    assert browsing.serious_faults() == []
    photograph(page, pictures, "operations-cancel")
    dialog.get_by_role("button", name="Cancel the update").click()
    status(page, "UPDATE_FAILED")
    dialog = asked(page, "Roll back", "Roll turning back")
    expect(dialog.get_by_role("list", name="Steps of the plan")).to_contain_text("salted")
    assert browsing.serious_faults() == []
    photograph(page, pictures, "operations-rollback")
    dialog.get_by_role("button", name="Roll back: ").click()
    status(page, "ROLLBACK_COMPLETE")
    assert browsing.api("GET", place)["stack"]["parameters"]["salt"] == "one"


def test_an_abandoned_stack_leaves_its_document_and_is_adopted(
    browsing: Browsing, pictures: Path
) -> None:
    make(browsing, "left")
    before = {each["key"]: each["physical_resource_id"] for each in browsing.resources("left")}
    page = browsing.page
    dialog = asked(page, "Abandon", "Abandon left")
    expect(dialog.get_by_role("button", name="Download left.json")).to_be_visible()
    assert browsing.serious_faults() == []
    photograph(page, pictures, "operations-abandon")
    with page.expect_download() as downloading:
        dialog.get_by_role("button", name="Abandon").click()
    document = json.loads(Path(downloading.value.path()).read_text(encoding="utf-8"))
    assert document["name"] == "left"
    assert "inner" in document["resources"]
    expect(dialog.get_by_role("status")).to_contain_text("left is abandoned")
    dialog.get_by_role("button", name="To the list of stacks").click()
    expect(page.get_by_role("heading", name="Stacks")).to_be_visible()
    names = [each["stack_name"] for each in browsing.api("GET", "/stacks")["stacks"]]
    assert "left" not in names
    page.get_by_role("link", name="Adopt", exact=True).click()
    expect(page.get_by_role("heading", name="Adopt a stack")).to_be_visible()
    assert browsing.serious_faults() == []
    drop(page, {"app.yaml": TEMPLATE})
    expect(page.get_by_role("alert")).to_contain_text("not what abandon writes")
    drop(page, {"left.json": json.dumps(document)})
    rows = page.get_by_role("table", name="Resources").get_by_role("row")
    expect(rows).to_have_count(1 + len(before))
    expect(page.get_by_label("Name of the stack")).to_have_value("left")
    page.get_by_label("Name of the stack").fill("found")
    assert browsing.serious_faults() == []
    photograph(page, pictures, "adopt")
    page.get_by_role("button", name="Adopt found").click()
    status(page, "ADOPT_COMPLETE")
    leaves = {key for key in before if not key.startswith(("inner", "group")) or "/" in key}
    after = {each["key"]: each["physical_resource_id"] for each in browsing.resources("found")}
    assert after.keys() == before.keys()
    assert {key: after[key] for key in leaves} == {key: before[key] for key in leaves}


def test_what_cannot_be_deleted_is_forgotten_and_the_rest_goes(
    browsing: Browsing, objects: Path, pictures: Path
) -> None:
    inner = "heat_template_version: wallaby\nresources: {disk: {type: Hotplate::Directory::File}}"
    template = "heat_template_version: wallaby\nresources: {web: {type: inner.yaml}}"
    place = make(browsing, "stuck", template=template, files={"inner.yaml": inner})
    page = browsing.page
    with directory_away(objects):
        browsing.api("DELETE", place)
        status(page, "DELETE_FAILED")
        dialog = asked(page, "Delete", "Delete stuck")
        dialog.get_by_label("Forget web.disk").check()
        forgotten = dialog.get_by_role("region", name="Forgotten")
        expect(forgotten).to_contain_text("stays, and is not managed any more")
        assert browsing.serious_faults() == []
        photograph(page, pictures, "operations-forget")
        dialog.get_by_role("button", name="Delete 1 resource", exact=True).click()
        status(page, "DELETE_COMPLETE")
