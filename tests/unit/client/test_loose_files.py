"""What a stack is made of, put together from loose files."""

import pytest

from hotplate.client import gather
from hotplate.document import InvalidDocument

APP = """\
heat_template_version: wallaby
resources:
  server: {type: nested/server.yaml}
  mine: {type: My::Type}
"""
SERVER = """\
heat_template_version: wallaby
resources:
  boot:
    type: OS::Heat::Value
    properties: {value: {get_file: boot.sh}}
"""
ENVIRONMENT = "resource_registry: {'My::Type': mine.yaml}\n"
MINE = "heat_template_version: wallaby\n"
BOOT = "#!/bin/sh\n"


def test_a_folder_is_put_together_with_its_texts_as_they_are() -> None:
    files = {
        "app/app.yaml": APP,
        "app/nested/server.yaml": SERVER,
        "app/nested/boot.sh": BOOT,
        "app/env.yaml": ENVIRONMENT,
        "app/mine.yaml": MINE,
        "app/README": "text",
    }
    found = gather(files)
    assert found.template == "app/app.yaml"
    assert found.environments == ("app/env.yaml",)
    assert found.kinds["app/README"] == "file"
    assert found.missing == ()
    assert found.recipe is not None
    assert found.recipe.template == APP
    assert found.recipe.sources == {
        "app/env.yaml": "app/env.yaml",
        "nested/server.yaml": "app/nested/server.yaml",
        "boot.sh": "app/nested/boot.sh",
        "mine.yaml": "app/mine.yaml",
    }


def test_single_files_are_found_by_their_names() -> None:
    found = gather({"boot.sh": BOOT, "server.yaml": SERVER, "app.yaml": APP, "mine.yaml": MINE})
    # Nothing names mine.yaml as long as the environment is not there: two may be the outermost.
    assert found.template == ""
    found = gather({"boot.sh": BOOT, "server.yaml": SERVER, "app.yaml": APP}, "app.yaml")
    assert found.recipe is not None
    assert found.recipe.files["nested/server.yaml"] == SERVER


def test_what_is_missing_is_named_with_the_place_that_names_it() -> None:
    found = gather({"app.yaml": APP, "server.yaml": SERVER, "env.yaml": ENVIRONMENT})
    assert found.recipe is None
    told = {name: str(problem) for name, problem in found.missing}
    assert told == {
        "mine.yaml": 'env.yaml:1:21: resource_registry.My::Type: the file "mine.yaml" is missing',
        "nested/boot.sh": "server.yaml:5:26: resources.boot.properties.value.get_file: "
        'the file "boot.sh" is missing',
    }


def test_one_name_for_two_files_is_told_apart_by_their_addresses() -> None:
    two = APP.replace("My::Type", "other/server.yaml")
    files = {
        "app.yaml": two,
        "nested/server.yaml": SERVER,
        "nested/boot.sh": "one",
        "other/server.yaml": SERVER,
        "other/boot.sh": "two",
    }
    found = gather(files)
    assert found.recipe is not None
    assert found.recipe.sources["file:///other/boot.sh"] == "other/boot.sh"
    assert found.recipe.files["file:///other/boot.sh"] == "two"
    assert "file:///other/server.yaml" in found.recipe.template


def test_addresses_of_the_network_are_left_to_the_server() -> None:
    text = APP.replace("nested/server.yaml", "https://example.org/server.yaml")
    found = gather({"app.yaml": text})
    assert found.missing == ()
    assert found.recipe is not None
    assert found.recipe.files == {}


def test_a_text_that_cannot_be_read_is_told_with_its_own_name() -> None:
    with pytest.raises(InvalidDocument, match=r"^app\.yaml:2:\d+: "):
        gather({"app.yaml": "heat_template_version: wallaby\nresources: {a: [}\n"})


def test_a_named_file_that_was_not_given_is_refused() -> None:
    with pytest.raises(InvalidDocument, match="was not given"):
        gather({"app.yaml": APP}, "app.yaml", ["env.yaml"])
