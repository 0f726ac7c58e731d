"""What the real python-heatclient adds inline survives next to environment files."""

import json
from pathlib import Path
from typing import Any

import pytest
from heatclient.common import template_utils

from hotplate.document import from_data
from hotplate.document import parse as read
from hotplate.environment import INLINE, EnvironmentFile, Hook, merge, parse, remainder

TEMPLATE = "heat_template_version: 2018-08-31\n"

A = """
parameters: {p: 1, deep: {a: 1, b: [1, 2]}, gone: x, when: 2020-01-01, f: 1.0}
parameter_defaults: {d: null, e: {x: {y: z}}}
parameter_merge_strategies: {default: merge}
resource_registry:
  My::Type: nested/my.yaml
  My::Alias: My::Type
  resources:
    server:
      OS::Nova::Server: nested/my.yaml
      hooks: [pre-update]
    group: {"*": {restricted_actions: update}}
event_sinks: [{type: zaqar-queue, target: a}]
"""
B = """
parameters: {p: 2, deep: {b: [3], c: null}, gone: null, text: "yes", flag: yes}
resource_registry:
  base_url: %s/other
  My::Type: my.yaml
  resources:
    server: {hooks: post-update}
event_sinks: [{type: zaqar-queue, target: b}]
"""


@pytest.fixture
def sent(tmp_path: Path) -> tuple[dict[str, Any], list[EnvironmentFile]]:
    """Return the inline environment and the files as `-e a.yaml -e sub/b.yaml` sends them."""
    for folder in ("nested", "other", "sub"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "my.yaml").write_text(TEMPLATE)
    (tmp_path / "a.yaml").write_text(A)
    (tmp_path / "sub" / "b.yaml").write_text(B % tmp_path.as_uri())
    listed: list[str] = []
    paths = [str(tmp_path / "a.yaml"), str(tmp_path / "sub" / "b.yaml")]
    files, inline = template_utils.process_multiple_environments_and_files(
        env_paths=paths, env_list_tracker=listed
    )
    return inline, [parse(read(files[url], url)) for url in listed]


def inline_rest(sent: tuple[dict[str, Any], list[EnvironmentFile]]) -> EnvironmentFile:
    inline, files = sent
    over_the_wire = json.loads(json.dumps(inline))
    return remainder(parse(from_data(over_the_wire, INLINE)), files)


def test_plain_environment_files_leave_no_remainder(
    sent: tuple[dict[str, Any], list[EnvironmentFile]],
) -> None:
    assert inline_rest(sent).is_empty


def test_hooks_of_the_command_line_are_the_remainder(
    sent: tuple[dict[str, Any], list[EnvironmentFile]],
) -> None:
    inline, files = sent
    template_utils.hooks_to_env(inline, ["group/member", "new"], "pre-create")
    rest = inline_rest(sent)
    assert rest.sections == {
        "resource_registry": {
            "resources": {
                "group": {"member": {"hooks": "pre-create"}},
                "new": {"hooks": "pre-create"},
            }
        }
    }
    merged = merge(files, [rest])
    assert merged.registry.hooks("new") == {Hook.PRE_CREATE}
    assert merged.registry.hooks("server") == {Hook.POST_UPDATE}
    assert merged.registry.lookup("My::Type").template
    origin = merged.origin(("resource_registry", "resources", "new", "hooks"))
    assert origin is not None
    assert origin.file == INLINE


def test_hooks_without_any_environment_file_are_the_remainder() -> None:
    inline: dict[str, Any] = {}
    template_utils.hooks_to_env(inline, ["*"], "pre-update")
    rest = remainder(parse(from_data(inline, INLINE)), [])
    assert rest.sections == inline


def rest_of(inline: Any, *files: Any) -> Any:
    given = [parse(read(json.dumps(data), "x")) for data in files]
    return remainder(parse(from_data(inline, INLINE)), given).sections


def test_values_that_differ_only_in_type_remain() -> None:
    inline = {"parameters": {"a": True, "b": 1.0, "c": [1], "d": {"x": [True]}}}
    file = {"parameters": {"a": 1, "b": 1, "c": [1.0], "d": {"x": [1]}}}
    assert rest_of(inline, file) == inline


def test_only_what_differs_inside_maps_remains() -> None:
    inline = {"parameters": {"a": {"x": 1, "y": 2}, "b": 1, "new": {}}}
    file = {"parameters": {"a": {"x": 1, "y": 1}, "b": 1, "c": 3}}
    assert rest_of(inline, file) == {"parameters": {"a": {"y": 2}, "new": {}}}


def test_strategies_that_the_client_repeats_do_not_remain() -> None:
    file = {"parameter_merge_strategies": {"p": "merge"}, "parameters": {"p": "a"}}
    assert rest_of(file, file) == {}
