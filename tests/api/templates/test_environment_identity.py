"""Environment files are known by names that survive the move to another checkout.

And what a PATCH can do to them: take them off the list, clear what they give. Secrets that were
read as stars stay what they are.
"""

import json
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import yaml
from heatclient.common import template_utils

from hotplate.api.http.settings import Settings
from tests.api.conftest import Api
from tests.api.heat_client import heat_client
from tests.api.shared_api import shared_api
from tests.api.trees import VERSION, changed, made

TEMPLATE = (
    VERSION
    + """
parameters:
  p: {type: string, default: from the template}
  q: {type: string, default: from the template}
  secret: {type: string, hidden: true, default: nothing}
resources:
  thing:
    type: OS::Heat::TestResource
    properties: {value: {list_join: ["-", [{get_param: p}, {get_param: secret}]]}}
outputs:
  p: {value: {get_param: p}}
  q: {value: {get_param: q}}
"""
)
_numbers = count()


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with shared_api(tmp_path_factory.mktemp("api"), Settings()) as api:
        yield api


def values(**parameters: Any) -> str:
    return json.dumps({"parameters": parameters})


def defaults(**parameters: Any) -> str:
    return json.dumps({"parameter_defaults": parameters})


def body(files: dict[str, str], *names: str, **more: Any) -> dict[str, Any]:
    listed = list(names or files)
    return {"template": TEMPLATE, "files": files, "environment_files": listed, **more}


def new(api: Api, files: dict[str, str], *names: str, **more: Any) -> str:
    return made(api, f"stack-{next(_numbers)}", body(files, *names, **more))


def environment(api: Api, path: str) -> dict[str, Any]:
    found: dict[str, Any] = api.get(f"{path}/environment").json()
    return found


def in_effect(api: Api, path: str, name: str = "p") -> Any:
    return api.get(f"{path}/outputs/{name}").json()["output"]["output_value"]


def works_with(api: Api, path: str) -> str:
    """Return what the resource was made of: p and the secret."""
    resource = api.get(f"{path}/resources/thing").json()["resource"]
    output: str = resource["attributes"]["output"]
    return output


def refusal(api: Api, method: str, path: str, sent: dict[str, Any]) -> str:
    answer = api.request(method, path, json=sent)
    assert answer.status_code == 400, answer.text
    message: str = answer.json()["error"]["message"]
    return message


def by_heatclient(api: Api, name: str, paths: Sequence[Path], existing: bool) -> str:
    """Create or update a stack as `openstack stack … -e` does; return its path."""
    client = heat_client(api)
    tracker: list[str] = []
    files, merged = template_utils.process_multiple_environments_and_files(
        [str(path) for path in paths], env_list_tracker=tracker
    )
    sent = {"files": files, "environment": merged, "environment_files": tracker}
    if existing:
        client.stacks.update(name, existing=True, **sent)
    else:
        client.stacks.create(stack_name=name, template=yaml.safe_load(TEMPLATE), **sent)
    stack_id = client.stacks.get(name).id
    assert api.wait(stack_id).endswith("_COMPLETE")
    return f"/stacks/{name}/{stack_id}"


def written(folder: Path, **files: str) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for name, text in files.items():
        found.append(folder / f"{name}.yaml")
        found[-1].write_text(text, encoding="utf-8")
    return found


def test_a_default_file_from_another_checkout_does_not_override_the_users(
    api: Api, tmp_path: Path
) -> None:
    """The trouble for which stored environments were asked, by an unchanged python-heatclient."""
    (default,) = written(tmp_path / "a" / "tht", defaults=values(p="default", q="default"))
    (mine,) = written(tmp_path / "a", mine=values(p="mine"))
    path = by_heatclient(api, "charter", [default, mine], existing=False)
    (newer,) = written(tmp_path / "b" / "tht", defaults=values(p="newer", q="newer"))
    by_heatclient(api, "charter", [newer], existing=True)
    assert (in_effect(api, path), in_effect(api, path, "q")) == ("mine", "newer")
    found = environment(api, path)
    assert found["environment_files"] == [newer.as_uri(), mine.as_uri()]
    assert found["environment_file_names"] == {
        newer.as_uri(): "defaults.yaml",
        mine.as_uri(): "mine.yaml",
    }
    assert set(api.get(f"{path}/files").json()) == {newer.as_uri(), mine.as_uri()}


def test_two_files_of_one_base_name_stay_two(api: Api, tmp_path: Path) -> None:
    (common,) = written(tmp_path / "a" / "common", env=values(p="common", q="common"))
    (site,) = written(tmp_path / "a" / "site", env=values(p="site"))
    path = by_heatclient(api, "twins", [common, site], existing=False)
    assert list(environment(api, path)["environment_file_names"].values()) == [
        "common/env.yaml",
        "site/env.yaml",
    ]
    (newer,) = written(tmp_path / "b" / "common", env=values(p="newer", q="newer"))
    by_heatclient(api, "twins", [newer], existing=True)
    assert (in_effect(api, path), in_effect(api, path, "q")) == ("site", "newer")
    (third,) = written(tmp_path / "b" / "third", env=values(p="third"))
    by_heatclient(api, "twins", [third], existing=True)
    assert in_effect(api, path) == "third"
    assert environment(api, path)["environment_files"] == [
        each.as_uri() for each in (newer, site, third)
    ]


def test_a_client_may_state_what_its_files_are_called(api: Api) -> None:
    a, mine = "file:///home/a/x/first.yaml", "file:///home/a/mine.yaml"
    names = {a: "defaults"}
    path = new(api, {a: values(p="a"), mine: values(p="mine")}, environment_file_names=names)
    assert environment(api, path)["environment_file_names"] == {a: "defaults", mine: "mine.yaml"}
    b = "file:///srv/second.yaml"
    sent = {
        "files": {b: values(p="b", q="b")},
        "environment_files": [b],
        "environment_file_names": {b: "defaults"},
    }
    changed(api, path, sent)
    assert (in_effect(api, path), in_effect(api, path, "q")) == ("mine", "b")
    # The name goes along wherever the stack goes.
    document = api.delete(f"{path}/abandon").json()
    copy = {"stack_name": f"stack-{next(_numbers)}", "adopt_stack_data": json.dumps(document)}
    stack_id = api.post("/stacks", json=copy).json()["stack"]["id"]
    assert api.wait(stack_id) == "ADOPT_COMPLETE"
    adopted = environment(api, f"/stacks/{copy['stack_name']}/{stack_id}")
    assert adopted["environment_file_names"] == {b: "defaults", mine: "mine.yaml"}


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({"c": "x"}, 'names "c", which is not in the field "environment_files"'),
        ({"a": ""}, 'must give "a" a name of 1 to 1024 characters'),
        ({"a": "x", "b": "x"}, 'gives both "a" and "b" the name "x"'),
        ({"a": 1}, '"environment_file_names"'),
        (["a"], '"environment_file_names"'),
    ],
)
def test_names_that_make_no_sense_are_refused(api: Api, stated: Any, words: str) -> None:
    sent = body({"a": "{}", "b": "{}"}, environment_file_names=stated)
    assert words in refusal(api, "POST", "/stacks", {"stack_name": "refused", **sent})


def test_what_cannot_be_told_is_refused_with_the_reason(api: Api) -> None:
    path = new(api, {"file:///a/z/env.yaml": values(p="z")})
    twins = dict.fromkeys(("file:///b/x/env.yaml", "file:///b/y/env.yaml"), values(p="?"))
    sent = {"files": twins, "environment_files": list(twins)}
    message = refusal(api, "PATCH", path, sent)
    assert "it is not clear whether" in message
    assert "environment_file_names" in message
    assert in_effect(api, path) == "z"


def test_a_patch_takes_a_file_off_the_list(api: Api) -> None:
    a, b = "file:///home/a/one.yaml", "file:///home/a/two.yaml"
    path = new(api, {a: values(p="a"), b: values(p="b")})
    sent = {"clear_environment_files": ["two.yaml"]}
    assert api.patch(f"{path}/preview", json=sent).json()["resource_changes"]["updated"]
    assert in_effect(api, path) == "b"
    changed(api, path, sent)
    assert in_effect(api, path) == "a"
    assert environment(api, path)["environment_files"] == [a]
    assert set(api.get(f"{path}/files").json()) == {a}
    message = refusal(api, "PATCH", path, sent)
    assert 'the stack has no environment file "two.yaml"' in message
    assert "one.yaml" in message


def test_a_value_that_only_a_file_gives_is_cleared(api: Api) -> None:
    files = {"a": json.dumps({"parameters": {"p": "a"}, "parameter_defaults": {"q": "q"}})}
    path = new(api, files)
    changed(api, path, {"clear_parameters": ["p"]})
    assert in_effect(api, path) == "from the template"
    found = environment(api, path)
    assert (found["parameters"], found["cleared_parameters"]) == ({}, {"a": ["p"]})
    assert api.get(f"{path}/files").json() == files
    message = refusal(api, "PATCH", path, {"clear_parameters": ["q"]})
    assert '"a" gives "q" a value for all templates' in message
    assert in_effect(api, path, "q") == "q"
    # The file that is sent again gives it again.
    changed(api, path, {"files": files, "environment_files": ["a"]})
    assert in_effect(api, path) == "a"
    assert environment(api, path)["cleared_parameters"] == {}


def test_a_new_template_drops_kept_values_that_it_does_not_declare(api: Api) -> None:
    inline = {"parameters": {"q": "inline"}}
    path = new(api, {"a": values(p="a", secret="s")}, environment=inline, parameters={"p": "x"})
    smaller = VERSION + "parameters: {secret: {type: string, hidden: true}}"
    sent = {"template": smaller}
    assert api.patch(f"{path}/preview", json=sent).status_code == 200
    assert "q" in refusal(api, "PATCH", path, {**sent, "parameters": {"q": "slip"}})
    changed(api, path, sent)
    assert environment(api, path)["parameters"] == {"secret": "******"}
    # They are gone for good, as in Heat.
    changed(api, path, {"template": TEMPLATE})
    assert (in_effect(api, path), in_effect(api, path, "q")) == ("from the template",) * 2


def test_a_file_that_was_read_as_stars_and_is_sent_back_keeps_the_secret(api: Api) -> None:
    path = new(api, {"a": values(p="a", secret="open sesame")})
    for put in (False, True):
        read = api.get(f"{path}/files").json()
        assert "open sesame" not in json.dumps(read)
        edited = {name: text.replace('"p":"a"', f'"p":"put {put}"') for name, text in read.items()}
        sent = body(edited)
        method = "PUT" if put else "PATCH"
        plan = api.request(method, f"{path}/preview", json=sent).json()["resource_changes"]
        assert [each["resource_name"] for each in plan["updated"]] == ["thing"]
        changed(api, path, sent, put=put)
        assert works_with(api, path) == f"put {put}-open sesame"
        changed(api, path, body({"a": values(p="a", secret="open sesame")}), put=True)


@pytest.mark.parametrize("put", [True, False])
def test_an_environment_that_was_read_as_stars_and_is_sent_back_keeps_the_secret(
    api: Api, put: bool
) -> None:
    path = new(api, {"a": values(secret="one")}, parameters={"secret": "open sesame"})
    read = environment(api, path)
    inline = {"parameters": {**read["parameters"], "p": "edited"}}
    changed(api, path, {"template": TEMPLATE, "environment": inline}, put=put)
    assert works_with(api, path) == "edited-open sesame"
    shown = api.get(path).json()["stack"]["parameters"]
    assert shown["secret"] == "******"
    given = {"p": "again", "secret": shown["secret"]}
    changed(api, path, {"template": TEMPLATE, "parameters": given}, put=put)
    assert works_with(api, path) == "again-open sesame"


def test_the_default_of_the_template_is_a_secret_too(api: Api) -> None:
    path = made(api, f"stack-{next(_numbers)}", {"template": TEMPLATE})
    changed(api, path, {"parameters": {"secret": "******", "p": "new"}})
    assert works_with(api, path) == "new-nothing"


@pytest.mark.parametrize(
    ("way", "path"),
    [("POST", "/stacks"), ("POST", "/stacks/preview"), ("POST", "/validate")],
)
@pytest.mark.parametrize(
    "more",
    [
        {"parameters": {"secret": "******"}},
        {"environment": {"parameters": {"secret": "******"}}},
        {"environment": {"parameter_defaults": {"secret": "******"}}},
        {"environment_files": ["a"], "files": {"a": values(secret="******")}},
    ],
)
def test_stars_that_stand_for_no_secret_are_refused(
    api: Api, way: str, path: str, more: dict[str, Any]
) -> None:
    sent = {"template": TEMPLATE, **more}
    if path != "/validate":
        sent["stack_name"] = "refused"
    message = refusal(api, way, path, sent)
    assert 'the value of the hidden parameter "secret" is ******' in message
    assert "send the secret itself" in message.lower()


def test_stars_for_what_is_not_hidden_are_stars(api: Api) -> None:
    path = made(
        api, f"stack-{next(_numbers)}", {"template": TEMPLATE, "parameters": {"p": "******"}}
    )
    changed(api, path, {"files": {"a": values(p="******")}, "environment_files": ["a"]})
    assert in_effect(api, path) == "******"


def test_stars_in_an_update_that_stand_for_no_secret_are_refused(api: Api) -> None:
    path = made(api, f"stack-{next(_numbers)}", {"template": TEMPLATE})
    sent = {"files": {"a": defaults(secret="******")}, "environment_files": ["a"]}
    message = refusal(api, "PATCH", path, sent)
    assert 'the value of the hidden parameter "secret" is ******' in message
