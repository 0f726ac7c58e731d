"""A command is found by its name: its file is called so, in the section that the help has."""

from keyword import iskeyword

import pytest

from hotplate.cli.main import group


@pytest.mark.parametrize("name", [name for name in group.lazy if name != "stack"])
def test_the_file_of_a_command_is_named_as_the_command(name: str) -> None:
    module, _, _ = group.lazy[name][0].partition(":")
    folder, _, file = module.partition(".")
    assert file == (f"{name}_" if iskeyword(name) else name)
    section = next(title for title, names in group.sections.items() if name in names)
    assert folder in ("running" if section == "Run it" else section.lower())
