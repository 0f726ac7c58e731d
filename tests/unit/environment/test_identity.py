"""A file is known by the end of its path, or by a name that its client states."""

from collections.abc import Mapping

import pytest

from hotplate.document import InvalidDocument
from hotplate.environment.identity import listed_files, same_files


def names(*files: str, stated: Mapping[str, str] | None = None) -> list[str]:
    return [each.name for each in listed_files(files, stated or {}).values()]


def same(
    sent: list[str],
    listed: list[str],
    stated: Mapping[str, str] | None = None,
    was_stated: Mapping[str, str] | None = None,
) -> dict[str, str]:
    return same_files(listed_files(sent, stated or {}), listed_files(listed, was_stated or {}))


@pytest.mark.parametrize(
    ("files", "known"),
    [
        (["file:///home/a/x.yaml"], ["x.yaml"]),
        (["/home/a/x.yaml"], ["x.yaml"]),
        (["file:///home/a/my%20file.yaml"], ["my file.yaml"]),
        (["file:///a/app/env.yaml", "file:///a/lib/env.yaml"], ["app/env.yaml", "lib/env.yaml"]),
        (["file:///a/d/env.yaml", "file:///b/d/env.yaml"], ["a/d/env.yaml", "b/d/env.yaml"]),
        (["file:///env.yaml", "file:///a/env.yaml"], ["/env.yaml", "a/env.yaml"]),
        (["defaults", "lib/env.yaml"], ["defaults", "lib/env.yaml"]),
        (["http://host/a/x.yaml"], ["http://host/a/x.yaml"]),
        # A name that somebody states is not given to another.
        (["env.yaml", "file:///a/env.yaml"], ["env.yaml", "a/env.yaml"]),
    ],
)
def test_the_shortest_end_of_a_path_that_tells_it_from_the_others(
    files: list[str], known: list[str]
) -> None:
    assert names(*files) == known


def test_a_stated_name_counts() -> None:
    stated = {"file:///a/app/env.yaml": "production"}
    assert names("file:///a/app/env.yaml", "file:///a/b/env.yaml", stated=stated) == [
        "production",
        "b/env.yaml",
    ]


@pytest.mark.parametrize(
    ("sent", "listed"),
    [
        ("file:///home/b/x.yaml", "file:///home/a/x.yaml"),
        ("file:///srv/tht/environments/net.yaml", "file:///home/a/tht/environments/net.yaml"),
        ("/home/b/x.yaml", "file:///home/a/x.yaml"),
        ("file:///home/b/lib/x.yaml", "lib/x.yaml"),
        ("lib/x.yaml", "file:///home/b/lib/x.yaml"),
        # A checkout inside another one's folder, with a folder of its own in common.
        ("file:///home/a/copy/lib/x.yaml", "file:///home/a/lib/x.yaml"),
    ],
)
def test_a_file_from_elsewhere_is_the_same(sent: str, listed: str) -> None:
    assert same([sent], [listed, "file:///home/a/other.yaml"]) == {sent: listed}


@pytest.mark.parametrize(
    ("sent", "listed"),
    [
        ("file:///home/b/y.yaml", "file:///home/a/x.yaml"),
        ("file:///home/a/prod/env.yaml", "file:///home/a/env.yaml"),
        ("file:///home/a/env.yaml", "file:///home/a/prod/env.yaml"),
        ("http://host/x.yaml", "file:///home/a/x.yaml"),
        ("http://other/x.yaml", "http://host/x.yaml"),
        ("lib/x.yaml", "x.yaml"),
        ("lib/x.yaml", "file:///home/b/x.yaml"),
        ("file:///home/b/xx.yaml", "x.yaml"),
    ],
)
def test_another_file_is_another(sent: str, listed: str) -> None:
    assert same([sent], [listed]) == {}


def test_of_two_with_one_base_name_the_folder_decides() -> None:
    listed = ["file:///a/common/env.yaml", "file:///a/prod/env.yaml"]
    assert same(["file:///b/prod/env.yaml"], listed) == {"file:///b/prod/env.yaml": listed[1]}
    # One that is neither is a third.
    assert same(["file:///b/test/env.yaml"], listed) == {}


def test_two_files_of_one_request_are_two() -> None:
    listed = ["file:///a/common/env.yaml"]
    sent = ["file:///b/common/env.yaml", "file:///b/prod/env.yaml"]
    assert same(sent, listed) == {sent[0]: listed[0]}
    assert same([listed[0], "file:///a/prod/env.yaml"], listed) == {listed[0]: listed[0]}


def test_what_cannot_be_told_is_refused() -> None:
    with pytest.raises(InvalidDocument) as caught:
        same(["file:///b/x/env.yaml", "file:///b/y/env.yaml"], ["file:///a/z/env.yaml"])
    (problem,) = caught.value.problems
    assert problem.message == (
        'it is not clear whether "file:///b/x/env.yaml" or "file:///b/y/env.yaml" is '
        '"file:///a/z/env.yaml", which the stack has'
    )
    assert "environment_file_names" in problem.hint


def test_stated_names_decide() -> None:
    a, b = "file:///home/a/app/env.yaml", "file:///srv/b/prod.yaml"
    assert same([b], [a], {b: "env.yaml"}, {a: "env.yaml"}) == {b: a}
    b = "file:///srv/app/env.yaml"
    assert same([b], [a], {b: "app/env.yaml"}, {a: "env.yaml"}) == {}
    # Where only one is stated, the other's path decides.
    assert same([b], [a], {b: "app/env.yaml"}) == {b: a}
    assert same([b], [a], {b: "lib/env.yaml"}) == {}
    assert same([b], [a], {}, {a: "../app/env.yaml"}) == {b: a}
    assert same([b], [a], {}, {a: "lib/env.yaml"}) == {}
