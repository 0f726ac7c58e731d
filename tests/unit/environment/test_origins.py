"""Every value in effect knows where it was written and what it took the place of."""

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hotplate.document import Position, from_data
from hotplate.document import parse as read
from hotplate.environment import EXPLICIT, INLINE, Environment, Origin, merge, parse
from tests.unit.environment.random_environments import ENVIRONMENTS

often = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))

A = """parameters:
  image: cirros
  labels: {tier: web, owner: {name: ann}}
  ports: [80]
resource_registry:
  My::Type: a.yaml
  resources:
    server:
      hooks: pre-create
event_sinks:
- {type: zaqar-queue, target: a}
"""
B = """parameters:
  image: fedora
  labels:
    owner: {name: bob}
    cost: 5
  ports: [81, 82]
resource_registry:
  My::Type: b.yaml
  resources: {server: {My::Type: c.yaml}}
"""


def ab(**more: Any) -> Environment:
    return merge([parse(read(A, "a.yaml")), parse(read(B, "b.yaml"))], **more)


def origin(environment: Environment, *path: str | int) -> Origin:
    found = environment.origin(path)
    assert found is not None
    return found


def test_a_replaced_value_tells_its_place_and_the_value_before() -> None:
    image = origin(ab(), "parameters", "image")
    assert image.position == Position("b.yaml", 2, 3)
    assert [(g.file, g.value, str(g)) for g in image.overridden] == [
        ("a.yaml", "cirros", "a.yaml:2:3")
    ]


def test_keys_deep_inside_merged_maps_have_origins_of_their_own() -> None:
    merged = ab()
    assert str(origin(merged, "parameters", "labels", "tier")) == "a.yaml:3:12"
    assert str(origin(merged, "parameters", "labels", "cost")) == "b.yaml:5:5"
    name = origin(merged, "parameters", "labels", "owner", "name")
    assert (str(name), [str(g) for g in name.overridden]) == ("b.yaml:4:13", ["a.yaml:3:31"])


def test_a_merged_map_lists_all_files_that_contribute() -> None:
    labels = origin(ab(), "parameters", "labels")
    assert [g.file for g in labels.contributors] == ["b.yaml", "a.yaml"]
    assert labels.overridden == ()


def test_items_of_a_replaced_list_have_origins() -> None:
    merged = ab()
    assert str(origin(merged, "parameters", "ports", 1)) == "b.yaml:6:15"
    first = origin(merged, "parameters", "ports", 0)
    assert [g.value for g in first.overridden] == [80]
    assert merged.origin(("parameters", "ports", 2)) is None


def test_registry_entries_hooks_and_event_sinks_have_origins() -> None:
    merged = ab()
    assert str(origin(merged, "resource_registry", "My::Type")) == "b.yaml:8:3"
    server = ("resource_registry", "resources", "server")
    assert str(origin(merged, *server, "hooks")) == "a.yaml:9:7"
    assert str(origin(merged, *server, "My::Type")) == "b.yaml:9:24"
    assert str(origin(merged, "event_sinks", 0, "target")) == "a.yaml:11:23"


def test_inline_and_explicit_values_are_named_so() -> None:
    inline = parse(from_data({"parameters": {"image": "x", "size": 1}}, INLINE))
    merged = ab(inline=[inline], parameters=from_data({"image": "y"}, EXPLICIT))
    image = origin(merged, "parameters", "image")
    assert (image.file, image.position, image.path) == (EXPLICIT, None, ("image",))
    assert [g.file for g in image.overridden] == [INLINE, "b.yaml", "a.yaml"]
    assert str(origin(merged, "parameters", "size")) == INLINE


def test_values_made_by_a_strategy_list_their_contributors_newest_first() -> None:
    texts = [
        "parameters: {p: x, l: [1], j: {k: a}}\nparameter_merge_strategies: {default: deep_merge}",
        "parameters: {p: y, l: [2], j: {k: b}}",
        'parameters: {p: z, l: [3], j: \'{"k": "c"}\'}',
    ]
    files = [parse(read(text, f"{i}.yaml")) for i, text in enumerate(texts)]
    merged = merge(files)
    assert merged.parameters == {"p": "xyz", "l": [1, 2, 3], "j": {"k": "abc"}}
    for path in (("p",), ("l",), ("j", "k")):
        found = origin(merged, "parameters", *path)
        assert [g.file for g in found.contributors] == ["2.yaml", "1.yaml", "0.yaml"]
        assert found.overridden == ()
    assert [origin(merged, "parameters", "l", i).file for i in range(3)] == [
        "0.yaml",
        "1.yaml",
        "2.yaml",
    ]
    assert str(origin(merged, "parameters", "j", "k")) == "2.yaml:1:28"


def test_what_is_not_there_has_no_origin() -> None:
    merged = ab()
    for path in ((), ("parameters", "none"), ("parameters", "image", "x"), ("nothing",)):
        assert merged.origin(path) is None


def at(data: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        data = data[step]
    return data


def leaves(data: Any, path: tuple[str | int, ...] = ()) -> Any:
    if isinstance(data, dict) and data:
        for key, value in data.items():
            yield from leaves(value, (*path, key))
    else:
        yield path


@often
@given(st.lists(ENVIRONMENTS, max_size=4))
def test_every_leaf_is_found_in_its_file_at_its_path(environments: list[Any]) -> None:
    documents = [read(json.dumps(data), str(i)) for i, data in enumerate(environments)]
    merged = merge([parse(document) for document in documents])
    data = merged.data()
    known = dict(merged.origins())
    for path in leaves(data):
        if len(path) > 1 or at(data, path):
            found = known.pop(path)
            assert at(environments[int(found.file)], found.path) == at(data, path)
            assert found.path == path
            assert found.position is not None
            assert merged.origin(path) == found
    assert known == {}


@often
@given(st.lists(ENVIRONMENTS, max_size=4))
def test_overridden_values_are_older_and_in_order(environments: list[Any]) -> None:
    documents = [read(json.dumps(data), str(i)) for i, data in enumerate(environments)]
    merged = merge([parse(document) for document in documents])
    for path, found in merged.origins():
        files = [int(g.file) for g in (found.contributors[0], *found.overridden)]
        assert files == sorted(files, reverse=True)
        assert len(set(files)) == len(files)
        for place in found.overridden:
            assert place.value == at(environments[int(place.file)], place.path)
            assert place.path == path


@often
@given(st.lists(st.integers(), min_size=1, max_size=5))
def test_a_chain_of_values_is_remembered_completely(values: list[int]) -> None:
    files = [
        parse(read(json.dumps({"parameters": {"p": value}}), str(i)))
        for i, value in enumerate(values)
    ]
    found = origin(merge(files), "parameters", "p")
    assert [g.value for g in (*found.contributors, *found.overridden)] == values[::-1]
