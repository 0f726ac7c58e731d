"""What packages say they offer is there, and is what the name stands for."""

from importlib import import_module
from pkgutil import iter_modules, walk_packages
from types import ModuleType

import pytest

import hotplate
from hotplate.lazy_names import loaded_on_use

PACKAGES = [each.name for each in walk_packages(hotplate.__path__, "hotplate.") if each.ispkg]


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_has_what_it_offers(name: str) -> None:
    package = import_module(name)
    offered = getattr(package, "__all__", [])
    # Once loaded, a module would hide what its package offers under the same name.
    for module in iter_modules(package.__path__):
        if module.name in offered:
            import_module(f"{name}.{module.name}")
    values = {each: getattr(package, each, None) for each in offered}
    assert not [each for each in values if isinstance(values[each], ModuleType | None)]


def test_a_name_that_is_not_offered_is_no_attribute() -> None:
    load = loaded_on_use("hotplate.client", {"reader": ("path_of",)})
    assert load("path_of") is import_module("hotplate.client.reader").path_of
    with pytest.raises(AttributeError, match="no attribute 'read_url'"):
        load("read_url")
