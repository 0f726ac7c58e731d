"""Types are found through entry points; what cannot be used is refused with a way on."""

from pathlib import Path
from textwrap import dedent

import pytest

from hotplate.resources import API_VERSION, BadPlugin, Catalogue, ResourceType, UnknownType
from hotplate.resources.catalogue import installed
from hotplate.resources.heat.value import Value

BUILT_IN = {
    "Hotplate::Directory::File",
    "OS::Heat::Delay",
    "OS::Heat::None",
    "OS::Heat::RandomString",
    "OS::Heat::ResourceGroup",
    "OS::Heat::TestResource",
    "OS::Heat::Value",
}


class Plugin:
    """A package on the path that offers a type."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        self.name = name
        self.folder = tmp_path / name
        information = self.folder / f"{name}-1.0.dist-info"
        information.mkdir(parents=True)
        (information / "METADATA").write_text(f"Name: {name}\nVersion: 1.0\n", encoding="utf-8")
        (information / "entry_points.txt").write_text(
            f"[hotplate.resource_types]\nThing = {name}_types:Thing\n", encoding="utf-8"
        )
        monkeypatch.syspath_prepend(str(self.folder))

    def offers(self, code: str) -> None:
        (self.folder / f"{self.name}_types.py").write_text(dedent(code), encoding="utf-8")


@pytest.fixture
def plugin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Plugin:
    # A module is imported once in a process: each test has a package of its own.
    return Plugin(tmp_path, monkeypatch, f"plugin_{abs(hash(request.node.name))}")


def test_the_built_in_types_are_installed() -> None:
    assert set(installed()) >= BUILT_IN


def test_a_package_adds_its_type(plugin: Plugin) -> None:
    plugin.offers(
        """
        from hotplate.resources import ResourceType

        class Thing(ResourceType):
            name = "Example::Thing"
        """
    )
    catalogue = installed()
    assert "Example::Thing" in catalogue
    assert catalogue.get("Example::Thing").name == "Example::Thing"
    assert set(catalogue) >= BUILT_IN


def test_a_type_for_another_version_of_the_api_is_refused(plugin: Plugin) -> None:
    plugin.offers(
        """
        from hotplate.resources import API_VERSION, ResourceType

        class Thing(ResourceType):
            name = "Example::Thing"
            api = API_VERSION + 1
        """
    )
    with pytest.raises(BadPlugin) as fault:
        installed()
    assert str(fault.value) == (
        f"{plugin.name}_types:Thing is written for version {API_VERSION + 1} of the resource type "
        f"API, this is version {API_VERSION}; upgrade or remove its package"
    )


def test_a_type_with_a_name_that_is_taken_is_refused(plugin: Plugin) -> None:
    plugin.offers(
        """
        from hotplate.resources import ResourceType

        class Thing(ResourceType):
            name = "OS::Heat::Value"
        """
    )
    with pytest.raises(BadPlugin) as fault:
        installed()
    assert "two resource types have the name OS::Heat::Value: " in str(fault.value)
    assert f"{plugin.name}_types:Thing" in str(fault.value)
    assert "hotplate.resources.heat.value:Value" in str(fault.value)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("import nothing_of_that_name", "cannot be loaded: ModuleNotFoundError"),
        ("Thong = 1", "cannot be loaded: AttributeError"),
        ("class Thing: pass", "is offered as a resource type and is none"),
        ("Thing = 1", "is offered as a resource type and is none"),
    ],
)
def test_what_is_no_type_is_refused(plugin: Plugin, code: str, text: str) -> None:
    plugin.offers(code)
    with pytest.raises(BadPlugin, match=text):
        installed()


def test_a_package_found_twice_offers_its_type_once(
    plugin: Plugin, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin.offers(
        """
        from hotplate.resources import ResourceType

        class Thing(ResourceType):
            name = "Example::Thing"
        """
    )
    monkeypatch.syspath_prepend(str(plugin.folder) + "/.")
    assert "Example::Thing" in installed()


def test_an_unknown_type_is_answered_with_a_suggestion() -> None:
    with pytest.raises(UnknownType, match=r'"OS::Heat::Valeu"; .*OS::Heat::Value'):
        Catalogue([Value()]).get("OS::Heat::Valeu")


def test_a_type_says_little_and_can_be_used() -> None:
    class Least(ResourceType):
        name = "Example::Least"

    assert list(Catalogue([Least()])) == ["Example::Least"]
