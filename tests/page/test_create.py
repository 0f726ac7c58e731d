"""Create and update from dropped files: what is missing, the form, the plan, and what it does."""

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.page.browsing import Browsing
from tests.page.gestures import drop, operate, photograph

APP = """\
heat_template_version: wallaby
description: A small application
parameter_groups:
  - label: Size
    description: How much there is of it.
    parameters: [members]
parameters:
  members:
    type: number
    label: Number of members
    description: How many words there are.
    default: 4
    constraints:
      - range: {min: 1, max: 9}
  salt: {type: string, default: first}
  colour:
    type: string
    constraints:
      - allowed_values: [red, green]
  password:
    type: string
    hidden: true
    constraints:
      - length: {min: 6}
resources:
  inner:
    type: nested/inner.yaml
    properties:
      salt: {get_param: salt}
  group:
    type: OS::Heat::ResourceGroup
    properties:
      count: {get_param: members}
      resource_def:
        type: OS::Heat::TestResource
        properties: {value: {get_param: colour}}
"""
INNER = """\
heat_template_version: wallaby
parameters:
  salt: {type: string}
resources:
  word:
    type: OS::Heat::RandomString
    properties:
      salt: {get_param: salt}
  script:
    type: OS::Heat::TestResource
    properties:
      value: {get_file: boot.sh}
"""
COLOURS = """\
parameters:
  colour: green
"""
STEPS = "Steps of the plan"
READY = """\
  handle: {type: OS::Heat::WaitConditionHandle}
  ready:
    type: OS::Heat::WaitCondition
    properties:
      handle: {get_resource: handle}
      timeout: 1
"""


def test_a_stack_comes_up_from_dropped_files_is_changed_fails_and_is_retried(
    browsing: Browsing, pictures: Path
) -> None:
    come_up(browsing, pictures)
    change(browsing, pictures)
    fail_and_retry(browsing, pictures)
    # What was not sent stayed: the hidden value and the environment.
    values = browsing.stack("app")["parameters"]
    assert (values["salt"], values["colour"]) == ("second", "green")


def come_up(browsing: Browsing, pictures: Path) -> None:
    """What is missing is named, values are asked for, and the plan is shown before it is made."""
    page = browsing.page
    browsing.open("#/default/create")
    expect(page.get_by_role("heading", name="Create a stack")).to_be_visible()
    drop(page, {"app.yaml": APP, "colours.yaml": COLOURS})
    missing = page.get_by_role("status").filter(has_text="missing")
    expect(missing).to_contain_text("nested/inner.yaml")
    expect(missing).to_contain_text("app.yaml:27")
    drop(page, {"inner.yaml": INNER})
    expect(page.get_by_text("nested template")).to_be_visible()
    expect(missing).to_contain_text("nested/boot.sh")
    photograph(page, pictures, "create-missing")
    drop(page, {"boot.sh": "#!/bin/sh\n"})
    expect(page.get_by_role("group", name="Size")).to_be_visible()
    expect(page.get_by_label("Number of members")).to_have_attribute("placeholder", "4")
    expect(page.get_by_text("Left empty: green (from an environment).")).to_be_visible()
    assert page.get_by_label("password").get_attribute("type") == "password"
    page.get_by_label("Number of members").fill("12")
    expect(page.get_by_text("Wanted: 1 to 9.")).to_be_visible()
    page.get_by_role("button", name="Show the plan").click()
    expect(page.get_by_text("A value is needed.")).to_be_visible()
    assert browsing.serious_faults() == []
    photograph(page, pictures, "create-faults")
    page.get_by_label("Number of members").fill("")
    page.get_by_label("password").fill("open sesame")
    page.get_by_role("button", name="Show the plan").click()
    expect(page.get_by_text("Plan for app: 8 to create")).to_be_visible()
    expect(page.get_by_role("list", name=STEPS)).to_contain_text("group.0-3")
    assert browsing.serious_faults() == []
    photograph(page, pictures, "create-plan")
    page.get_by_role("button", name="Create app: 8 resources").click()
    expect(page.get_by_text("CREATE_COMPLETE").first).to_be_visible()
    values = browsing.stack("app")["parameters"]
    assert (values["colour"], values["password"]) == ("green", "******")


def change(browsing: Browsing, pictures: Path) -> None:
    """One value alone is given; what it replaces is told with the reason and the place."""
    page = browsing.page
    operate(page, "Update")
    expect(page.get_by_role("heading", name="Update app")).to_be_visible()
    page.get_by_label("salt").fill("second")
    page.get_by_role("button", name="Show the plan").click()
    steps = page.get_by_role("list", name=STEPS)
    replaced = steps.get_by_role("listitem").filter(has_text="replace")
    expect(replaced).to_contain_text("inner.word")
    expect(replaced).to_contain_text("why: a change of salt cannot be made in place")
    expect(replaced).to_contain_text("salt: first → second (from the parameter salt)")
    assert browsing.serious_faults() == []
    photograph(page, pictures, "update-plan")
    page.get_by_role("button", name="1 to replace").click()
    expect(page.get_by_text("UPDATE_COMPLETE").first).to_be_visible()


def fail_and_retry(browsing: Browsing, pictures: Path) -> None:
    """An update that fails is found, and tried again when the cause is gone."""
    page = browsing.page
    operate(page, "Update")
    drop(page, {"app.yaml": APP + READY})
    expect(page.get_by_text("changed", exact=True)).to_be_visible()
    page.get_by_role("button", name="Show the plan").click()
    page.get_by_role("button", name="Update: 2 to create").click()
    expect(page.get_by_text("UPDATE_FAILED").first).to_be_visible()
    place = f"/stacks/app/{browsing.stack('app')['id']}"
    browsing.api("POST", f"{place}/resources/handle/signal", {"id": "1", "status": "SUCCESS"})
    operate(page, "Retry")
    dialog = page.get_by_role("dialog", name="Retry app")
    expect(dialog.get_by_role("list", name="What failed")).to_contain_text("ready")
    assert browsing.serious_faults() == []
    photograph(page, pictures, "operations-retry")
    dialog.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("UPDATE_COMPLETE").first).to_be_visible()


def test_what_is_wrong_is_told_with_its_file_and_line_and_mended_on_the_spot(
    browsing: Browsing, pictures: Path
) -> None:
    page = browsing.page
    browsing.open("#/default/create")
    page.get_by_role("button", name="Write a template").click()
    editor = page.get_by_label("Text of template.yaml")
    text = editor.input_value()
    editor.fill(text.replace("get_param: length", "get_param: lenght"))
    problems = page.get_by_role("alert")
    expect(problems).to_contain_text("did you mean")
    expect(problems).to_contain_text("resources.word.properties.length")
    problems.get_by_role("button", name="template.yaml:15").click()
    page.wait_for_function("() => String(window.getSelection()).includes('lenght')")
    assert browsing.serious_faults() == []
    photograph(page, pictures, "create-problem")
    page.set_viewport_size({"width": 390, "height": 780})
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    page.set_viewport_size({"width": 1280, "height": 800})
    editor.fill(text)
    expect(problems).to_be_hidden()
    page.get_by_label("Name of the stack").fill("written")
    page.get_by_role("button", name="Show the plan").click()
    page.get_by_role("button", name="Create written: 1 resource").click()
    expect(page.get_by_role("heading", name="written")).to_be_visible()


def test_environments_apply_in_the_order_that_the_user_gives_them(browsing: Browsing) -> None:
    page = browsing.page
    browsing.open("#/default/create")
    template = """\
heat_template_version: wallaby
parameters: {colour: {type: string}}
resources: {}
"""
    drop(
        page,
        {
            "one.yaml": "parameters: {colour: blue}",
            "two.yaml": "parameters: {colour: black}",
            "colours.yaml": template,
        },
    )
    expect(page.get_by_text("Left empty: black (from an environment).")).to_be_visible()
    page.get_by_role("button", name="one.yaml later").click()
    expect(page.get_by_text("Left empty: blue (from an environment).")).to_be_visible()
    page.get_by_label("Use the environment one.yaml").uncheck()
    expect(page.get_by_text("Left empty: black (from an environment).")).to_be_visible()


def test_a_folder_or_single_files_can_be_chosen_instead(browsing: Browsing, tmp_path: Path) -> None:
    page = browsing.page
    folder = tmp_path / "app"
    (folder / "nested").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("no template needs it")
    (folder / "app.yaml").write_text(APP)
    (folder / "nested" / "inner.yaml").write_text(INNER)
    (folder / "nested" / "boot.sh").write_bytes(b"\xff\x00")
    (tmp_path / "colours.yaml").write_text(COLOURS)
    browsing.open("#/default/create")
    page.get_by_label("Folder").set_input_files(folder)
    names = page.get_by_role("list", name="Files").get_by_role("listitem")
    expect(names).to_have_count(3)
    expect(page.get_by_text("nested template")).to_be_visible()
    page.locator("input[type=file][aria-label=Files]").set_input_files(tmp_path / "colours.yaml")
    expect(page.get_by_text("Left empty: green (from an environment).")).to_be_visible()
    page.get_by_label("password").fill("open sesame")
    page.get_by_label("Name of the stack").fill("chosen")
    page.get_by_role("button", name="Show the plan").click()
    page.get_by_role("button", name="Create chosen: 8 resources").click()
    expect(page.locator(".stack-title .badge")).to_have_text("CREATE_COMPLETE")
    files = browsing.api("GET", f"/stacks/chosen/{browsing.stack('chosen')['id']}/files")
    assert files["boot.sh"] == "/wA=\n"


def test_one_file_of_a_stack_that_the_command_made_is_changed_and_secrets_stay(
    browsing: Browsing,
) -> None:
    """The stack has addresses for names, and a hidden value that the page only sees as stars."""
    page = browsing.page
    folder = "file:///srv/app"
    template = f"""\
heat_template_version: wallaby
parameters: {{secret: {{type: string, hidden: true}}}}
resources:
  safe: {{type: OS::Heat::TestResource, properties: {{value: {{get_param: secret}}}}}}
  inner: {{type: '{folder}/nested/leaf.yaml'}}
"""
    leaf = """\
heat_template_version: wallaby
resources:
  word: {type: OS::Heat::RandomString}
"""
    body = {
        "stack_name": "made",
        "template": template,
        "template_name": f"{folder}/app.yaml",
        "files": {
            f"{folder}/nested/leaf.yaml": leaf,
            f"{folder}/env.yaml": "parameters: {secret: sesame}",
        },
        "environment_files": [f"{folder}/env.yaml"],
    }
    made = browsing.api("POST", "/stacks", body)["stack"]
    browsing.wait_until("made", "", "CREATE_COMPLETE")
    browsing.open(f"#/default/update/made/{made['id']}")
    names = page.get_by_role("list", name="Files").get_by_role("listitem")
    expect(names).to_have_text([re.compile("^app.yaml"), re.compile("^env"), re.compile("^nested")])
    drop(page, {"leaf.yaml": f"{leaf}  more: {{type: OS::Heat::None}}\n"})
    expect(names.filter(has_text="changed")).to_contain_text("nested/leaf.yaml")
    page.get_by_role("button", name="Show the plan").click()
    expect(page.get_by_text("1 to create, 1 to update in place, 2 unchanged").first).to_be_visible()
    # Another environment comes after those that the stack has.
    drop(page, {"later.yaml": "parameters: {secret: other}"})
    expect(page.get_by_text("environment 2")).to_be_visible()
    page.get_by_role("button", name="Show the plan").click()
    expect(page.get_by_text("1 to create, 2 to update in place, 1 unchanged").first).to_be_visible()
    page.get_by_label("Use the environment later.yaml").uncheck()
    page.get_by_role("button", name="Show the plan").click()
    page.get_by_role("button", name="Update: 1 to create, 1 to update in place").click()
    expect(page.locator(".stack-title .badge")).to_have_text("UPDATE_COMPLETE")
    place = f"/stacks/made/{made['id']}"
    assert browsing.api("GET", f"{place}/environment")["environment_files"] == [
        f"{folder}/env.yaml"
    ]
    # Nothing is left to do: in particular no secret has become stars.
    again = browsing.api("PATCH", f"{place}/preview?show_nested=true", {})["resource_changes"]
    assert {name for name, found in again.items() if found} == {"unchanged"}


def test_a_value_of_its_own_is_cleared_and_the_default_counts_again(
    browsing: Browsing, pictures: Path
) -> None:
    template = (
        "heat_template_version: wallaby\n"
        "parameters:\n"
        "  colour: {type: string, default: red, label: Colour}\n"
        "  size: {type: number, default: 1}\n"
        "resources:\n"
        "  shown: {type: OS::Heat::Value, properties: {value: {get_param: colour}}}\n"
        "outputs: {colour: {value: {get_attr: [shown, value]}}}\n"
    )
    body = {"stack_name": "tinted", "template": template, "parameters": {"colour": "blue"}}
    browsing.api("POST", "/stacks", body)
    browsing.wait_until("tinted", "", "CREATE_COMPLETE")
    page = browsing.page
    browsing.open_stack("tinted")
    operate(page, "Update")
    parameters = page.get_by_role("region", name="Parameters")
    expect(parameters).to_contain_text("Now blue; left empty, it stays.")
    # What has its default already has nothing to clear.
    expect(parameters.get_by_role("button")).to_have_count(1)
    parameters.get_by_role("button", name="Clear Colour").click()
    expect(parameters).to_contain_text("Cleared: red counts again (the default).")
    expect(parameters.get_by_role("textbox", name="Colour")).to_be_disabled()
    parameters.get_by_role("button", name="Keep Colour").click()
    expect(parameters).to_contain_text("Now blue")
    parameters.get_by_role("button", name="Clear Colour").click()
    page.get_by_role("button", name="Show the plan").click()
    expect(page.get_by_role("list", name="Steps of the plan")).to_contain_text("shown")
    assert browsing.serious_faults() == []
    photograph(page, pictures, "update-clear")
    page.get_by_role("button", name="Update: ").click()
    expect(page.locator(".stack-title .badge")).to_have_text("UPDATE_COMPLETE")
    assert browsing.stack("tinted")["parameters"]["colour"] == "red"
