"""Environments kept by the engine: V1 to V25 of docs/stored-environments.md, each by its number."""

import json
from collections.abc import Iterator
from itertools import count, permutations
from pathlib import Path
from typing import Any

import pytest
import yaml
from heatclient.common import template_utils
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from hotplate.api.http.settings import Settings
from hotplate.api.stacks.recipe_body import recipe_of
from hotplate.engine.recipes import RecipeBook
from hotplate.resources.catalogue import Catalogue
from tests.api.conftest import Api
from tests.api.heat_client import heat_client
from tests.api.shared_api import shared_api
from tests.api.trees import VERSION, begin, changed, deleted, listed, made
from tests.unit.environment.random_environments import ENVIRONMENTS_OF_MAPS
from tests.unit.environment.test_merge import client_merge, exactly

TEMPLATE = (
    VERSION
    + """
parameters:
  p: {type: string, default: from the template}
  q: {type: string, default: from the template}
  labels: {type: json, default: {}}
  names: {type: comma_delimited_list, default: []}
  size: {type: number, default: 0}
  flag: {type: boolean, default: false}
  secret: {type: string, hidden: true, default: nothing}
resources:
  thing:
    type: OS::Heat::TestResource
    properties: {value: {list_join: ["-", [{get_param: p}, {get_param: secret}]]}}
outputs:
  p: {value: {get_param: p}}
  q: {value: {get_param: q}}
  labels: {value: {get_param: labels}}
"""
)
_numbers = count()


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with shared_api(tmp_path_factory.mktemp("api"), Settings()) as api:
        yield api


def values(**parameters: Any) -> str:
    return json.dumps({"parameters": parameters})


def body(*names: str, files: dict[str, str], **more: Any) -> dict[str, Any]:
    return {"template": TEMPLATE, "files": files, "environment_files": list(names), **more}


def new(api: Api, *names: str, files: dict[str, str], **more: Any) -> str:
    return made(api, f"stack-{next(_numbers)}", body(*names, files=files, **more))


def environment(api: Api, path: str, **query: Any) -> dict[str, Any]:
    answer = api.get(f"{path}/environment", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def in_effect(api: Api, path: str, name: str = "p") -> Any:
    """Return the value with which a stack works."""
    return api.get(f"{path}/outputs/{name}").json()["output"]["output_value"]


def refusal(api: Api, sent: dict[str, Any], method: str = "POST", path: str = "/stacks") -> str:
    sent = {"stack_name": "refused", **sent} if method == "POST" else sent
    answer = api.request(method, path, json=sent)
    assert answer.status_code == 400, answer.text
    message: str = answer.json()["error"]["message"]
    return message


AB = {"a": values(p="a", q="a"), "b": values(p="b")}


def test_v01_the_key_is_optional_and_taken_wherever_a_recipe_is_sent(api: Api) -> None:
    path = made(api, "plain", {"template": TEMPLATE})
    assert environment(api, path)["environment_files"] == []
    sent = body("a", "b", files=AB)
    assert api.post("/validate", json=sent).status_code == 200
    preview = api.post("/stacks/preview", json={"stack_name": "preview", **sent}).json()
    assert preview["stack"]["parameters"]["p"] == "b"
    for method in ("PUT", "PATCH"):
        assert api.request(method, f"{path}/preview", json=sent).status_code == 200
    changed(api, path, sent)
    assert in_effect(api, path) == "b"
    changed(api, path, body("b", "a", files=AB), put=True)
    assert in_effect(api, path) == "a"


@pytest.mark.parametrize("wrong", ["a.yaml", {"a.yaml": 1}, 7, [1], [None], [["a"]], True])
@pytest.mark.parametrize("way", ["POST", "PUT", "PATCH", "validate"])
def test_v02_only_a_list_of_names_is_accepted(api: Api, wrong: Any, way: str) -> None:
    path, _ = begin(api, f"typed-{next(_numbers)}", {"template": TEMPLATE})
    sent = {"template": TEMPLATE, "environment_files": wrong}
    if way == "validate":
        message = refusal(api, sent, "POST", "/validate")
    else:
        message = refusal(api, sent, way, "/stacks" if way == "POST" else path)
    assert '"environment_files"' in message
    assert environment(api, path)["environment_files"] == []


def test_v03_names_are_any_texts(api: Api) -> None:
    names = ["file:///home/me/a b.yaml", "https://example.com/e?x=1#y", "ümläut/…", " ", "a\nb"]
    files = {name: values(p=name) for name in names}
    path = new(api, *names, files=files)
    assert environment(api, path)["environment_files"] == names
    assert in_effect(api, path) == "a\nb"
    assert api.get(f"{path}/files").json() == files


def test_v04_a_listed_name_without_content_is_refused_by_its_name(api: Api) -> None:
    sent = body("a", "lost.yaml", files=AB)
    assert "lost.yaml" in refusal(api, sent)
    assert "lost.yaml" in refusal(api, sent, "POST", "/validate")
    assert api.get("/stacks/refused").status_code == 404
    path = new(api, "a", files=AB)
    assert "lost.yaml" in refusal(api, sent, "PUT", path)
    assert "lost.yaml" in refusal(api, {"environment_files": ["lost.yaml"]}, "PATCH", path)
    # What the stack has need not be sent again.
    changed(api, path, {"environment_files": ["b"]})
    assert in_effect(api, path) == "b"


def test_v05_an_environment_cannot_name_others(api: Api) -> None:
    including = json.dumps({"environment_files": ["b"], "parameters": {"p": "a"}})
    message = refusal(api, body("a", files={"a": including, "b": AB["b"]}))
    assert 'environment has wrong section "environment_files"' in message
    sent = {"template": TEMPLATE, "files": AB, "environment": {"environment_files": ["a"]}}
    assert 'wrong section "environment_files"' in refusal(api, sent)


# Values of parameters are checked against their types; those of defaults may be anything.
MAPS = VERSION + "parameters: {a: {type: json}, b: {type: json}, c: {type: json}, d: {type: json}}"
EMPTY: dict[str, Any] = {
    "parameters": {},
    "parameter_defaults": {},
    "resource_registry": {},
    "event_sinks": [],
    "encrypted_param_names": [],
}


def as_client(environments: list[Any]) -> dict[str, Any]:
    """What python-heatclient makes of the environments, every section present."""
    theirs = client_merge(environments)
    assume(theirs is not None)
    found = {**EMPTY, **theirs}
    found["resource_registry"] = {"resources": {}, **found["resource_registry"]}
    return found


def numbered(environments: list[Any]) -> dict[str, Any]:
    files = {f"{at}.yaml": json.dumps(data) for at, data in enumerate(environments)}
    return {"files": files, "environment_files": list(files)}


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(environments=st.lists(ENVIRONMENTS_OF_MAPS, max_size=4))
def test_v06_files_are_combined_as_heatclient_does_it(api: Api, environments: list[Any]) -> None:
    theirs = as_client(environments)
    theirs.pop("encrypted_param_names")
    answer = api.post("/validate", json={"template": MAPS, **numbered(environments)})
    assert answer.status_code == 200, answer.text
    assert exactly(answer.json()["Environment"]) == exactly(theirs)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(environments=st.lists(ENVIRONMENTS_OF_MAPS, min_size=1, max_size=4), kept=st.integers(0, 3))
def test_v06_a_stack_patched_to_a_list_stores_what_heatclient_would_have_merged(
    api: Api, environments: list[Any], kept: int
) -> None:
    theirs = as_client(environments)
    sent = numbered(environments)
    first = {**sent, "environment_files": sent["environment_files"][:kept]}
    template = MAPS.replace("type: json", "type: json, default: {}")
    path = made(api, f"merged-{next(_numbers)}", {"template": template, **first})
    changed(api, path, {"environment_files": sent["environment_files"][kept:]})
    found = environment(api, path)
    assert found.pop("environment_files") == sent["environment_files"]
    assert found.pop("environment_file_names") == {n: n for n in sent["environment_files"]}
    assert found.pop("cleared_parameters") == {}
    assert exactly(found) == exactly(theirs)
    deleted(api, path)


def test_v07_the_last_one_wins_whatever_the_order(api: Api) -> None:
    files = {name: values(p=name, labels={name: 1, "last": name}) for name in "abc"}
    path = new(api, "a", files=files)
    for order in permutations("abc"):
        changed(api, path, body(*order, files=files), put=True)
        assert in_effect(api, path) == order[-1]
        assert in_effect(api, path, "labels") == {"a": 1, "b": 1, "c": 1, "last": order[-1]}


def test_v08_explicit_parameters_come_after_all_files(api: Api) -> None:
    path = new(api, "a", "b", files=AB, parameters={"p": "explicit"})
    assert (in_effect(api, path), in_effect(api, path, "q")) == ("explicit", "a")
    strategies = {"parameter_merge_strategies": {"p": "merge"}}
    joined = {"a": json.dumps({"parameters": {"p": "a"}, **strategies})}
    path = new(api, "a", files=joined, parameters={"p": "explicit"})
    assert in_effect(api, path) == "explicit"


def test_v09_the_engine_combines_and_the_api_hands_the_texts_on(api: Api) -> None:
    sent = body("a", "b", files={**AB, "a": "# a comment\n" + AB["a"]})

    async def at_once(function: Any, *args: Any) -> Any:
        return function(None, *args)

    recipe = api.run(recipe_of(sent, Settings(), at_once))
    assert (recipe.files, recipe.environment_files) == (sent["files"], ("a", "b"))
    assert (recipe.environment, recipe.parameters) == ("", {})
    book = RecipeBook(Catalogue(()))
    combined = book.environment(recipe, book.compiled(recipe.template))
    assert combined.parameters == {"p": "b", "q": "a"}


def test_v10_a_patch_appends_to_the_list(api: Api) -> None:
    path = new(api, "a", "b", files=AB)
    changed(api, path, {"files": {"c": values(q="c")}, "environment_files": ["c"]})
    assert environment(api, path)["environment_files"] == ["a", "b", "c"]
    assert (in_effect(api, path), in_effect(api, path, "q")) == ("b", "c")


def test_v11_a_name_that_is_sent_again_keeps_its_place(api: Api) -> None:
    path = new(api, "a", "b", files=AB)
    again = {"files": {"a": values(p="A", q="A")}, "environment_files": ["a"]}
    changed(api, path, again)
    assert environment(api, path)["environment_files"] == ["a", "b"]
    assert (in_effect(api, path), in_effect(api, path, "q")) == ("b", "A")
    # New names among known ones are appended in the order in which they are sent.
    more = {"files": {"c": values(p="c"), "d": values(p="d")}}
    changed(api, path, {**more, "environment_files": ["d", "a", "c"]})
    assert environment(api, path)["environment_files"] == ["a", "b", "d", "c"]
    assert in_effect(api, path) == "c"


def test_v12_changed_content_counts_although_no_list_is_sent(api: Api) -> None:
    path = new(api, "a", "b", files=AB)
    changed(api, path, {"files": {"a": values(q="new")}})
    assert (in_effect(api, path), in_effect(api, path, "q")) == ("b", "new")
    assert environment(api, path)["environment_files"] == ["a", "b"]
    changed(api, path, {"files": {"b": "{}"}})
    assert in_effect(api, path) == "from the template"


def test_v13_one_file_can_be_changed_without_the_others(api: Api) -> None:
    files = {**AB, "c": values(labels={"c": 1})}
    path = new(api, "a", "b", "c", files=files, parameters={"size": 3})
    changed(api, path, {"files": {"b": values(p="B", labels={"b": 1})}})
    found = environment(api, path)
    assert found["parameters"] == {
        "p": "B", "q": "a", "labels": {"b": 1, "c": 1}, "size": 3,
    }  # fmt: skip
    assert api.get(f"{path}/files").json()["a"] == AB["a"]


def test_v14_a_default_that_is_sent_again_does_not_override_the_users(api: Api) -> None:
    path = new(api, "defaults", "users", files={"defaults": AB["a"], "users": AB["b"]})
    again = values(p="newer default", q="newer default")
    changed(api, path, {"files": {"defaults": again}, "environment_files": ["defaults"]})
    assert (in_effect(api, path), in_effect(api, path, "q")) == ("b", "newer default")


def test_v15_the_list_can_be_read_and_is_taken_along(api: Api) -> None:
    path = new(api, "b", "a", files=AB, parameters={"size": 1})
    found = environment(api, path)
    assert found["environment_files"] == ["b", "a"]
    lists = {"environment_files", "environment_file_names", "cleared_parameters"}
    assert set(found) == {*EMPTY, *lists}
    export = api.get(f"{path}/export").json()
    assert export["environment"]["parameters"] == {"p": "a", "q": "a", "size": 1}
    document = api.delete(f"{path}/abandon").json()
    adopted = made(
        api,
        "adopted",
        {"adopt_stack_data": json.dumps(document)},
        "ADOPT_COMPLETE",
    )
    assert environment(api, adopted) == found
    changed(api, adopted, {"files": {"a": values(q="new")}})
    assert (in_effect(api, adopted), in_effect(api, adopted, "q")) == ("b", "new")


def test_v16_explicit_parameters_stay_on_top_until_they_are_cleared(api: Api) -> None:
    path = new(api, "a", files=AB, parameters={"p": "explicit"})
    changed(api, path, {"files": {"a": values(p="A")}, "environment_files": ["a", "b"]})
    assert in_effect(api, path) == "explicit"
    changed(api, path, {"parameters": {"q": "explicit"}})
    assert (in_effect(api, path), in_effect(api, path, "q")) == ("explicit", "explicit")
    changed(api, path, {"clear_parameters": ["p", "unknown"]})
    assert (in_effect(api, path), in_effect(api, path, "q")) == ("b", "explicit")


def test_v17_put_replaces_the_list(api: Api) -> None:
    path = new(api, "a", "b", files=AB, parameters={"q": "explicit"})
    changed(api, path, body("x", files={"x": values(p="x")}), put=True)
    assert environment(api, path)["environment_files"] == ["x"]
    assert (in_effect(api, path), in_effect(api, path, "q")) == ("x", "from the template")
    assert set(api.get(f"{path}/files").json()) == {"x"}
    changed(api, path, {"template": TEMPLATE}, put=True)
    assert environment(api, path)["environment_files"] == []


@pytest.mark.parametrize(
    ("strategy", "name", "first", "second", "result"),
    [
        ("overwrite", "labels", {"a": 1}, {"b": 2}, {"b": 2}),
        ("merge", "labels", {"a": {"x": 1}, "c": 1}, {"a": {"y": 2}}, {"a": {"y": 2}, "c": 1}),
        ("deep_merge", "labels", {"a": {"x": [1]}}, {"a": {"x": [2]}}, {"a": {"x": [1, 2]}}),
        ("merge", "names", ["a"], "b,c", ["a", "b", "c"]),
        ("deep_merge", "names", "a", ["b"], ["a", "b"]),
        ("merge", "p", "one", "two", "onetwo"),
        ("merge", "size", 1, 2.5, 3.5),
        ("deep_merge", "size", 1, 2, 3),
        ("overwrite", "flag", True, False, False),
    ],
)
def test_v18_every_merge_strategy_does_what_is_documented(
    api: Api, strategy: str, name: str, first: Any, second: Any, result: Any
) -> None:
    files = {
        at: json.dumps(
            {"parameters": {name: value}, "parameter_merge_strategies": {name: strategy}}
        )
        for at, value in (("1", first), ("2", second))
    }
    path = new(api, "1", files=files)
    changed(api, path, {"environment_files": ["2"]})
    found = environment(api, path)["parameters"][name]
    assert (found.split(",") if isinstance(found, str) and name == "names" else found) == result


def test_v18_contradicting_and_impossible_strategies_are_refused(api: Api) -> None:
    def one(strategy: str, **parameters: Any) -> str:
        (name,) = parameters
        strategies = {"parameter_merge_strategies": {name: strategy}}
        return json.dumps({"parameters": parameters, **strategies})

    files = {"1": one("merge", labels={}), "2": one("deep_merge", labels={})}
    message = refusal(api, body("1", "2", files=files))
    assert "labels" in message
    assert "contradicts" in message
    path = new(api, "1", files=files)
    assert "contradicts" in refusal(api, {"environment_files": ["2"]}, "PATCH", path)
    assert environment(api, path)["environment_files"] == ["1"]
    flags = {"1": one("merge", flag=True), "2": one("merge", flag=False)}
    assert "flag" in refusal(api, body("1", "2", files=flags))
    assert "shuffle" in refusal(api, body("1", files={"1": one("shuffle", p="x")}))


HOOKS = {"resource_registry": {"resources": {"thing": {"hooks": "pre-create"}}}}


def test_v19_what_is_given_inline_beyond_the_files_is_kept(api: Api, tmp_path: Path) -> None:
    """As `openstack stack create -e a -e b --pre-create thing` sends it."""
    client = heat_client(api)
    for name, text in AB.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    tracker: list[str] = []
    files, merged = template_utils.process_multiple_environments_and_files(
        [str(tmp_path / "a"), str(tmp_path / "b")], env_list_tracker=tracker
    )
    hooked = template_utils.deep_update(merged, HOOKS)
    client.stacks.create(
        stack_name="hooked", template=yaml.safe_load(TEMPLATE), files=files, environment=hooked,
        environment_files=tracker, parameters={"size": "4"},
    )  # fmt: skip
    stack = client.stacks.get("hooked")
    path = f"/stacks/hooked/{stack.id}"

    async def paused() -> bool:
        answer = await api.client.get(f"{path}/events")
        reasons = [each["resource_status_reason"] for each in answer.json()["events"]]
        return "CREATE paused until Hook pre-create is cleared" in reasons

    api.until(paused)
    client.resources.signal(stack.id, "thing", {"unset_hook": "pre-create"})
    assert api.wait(stack.id) == "CREATE_COMPLETE"
    found = environment(api, path)
    assert found["resource_registry"] == HOOKS["resource_registry"]
    assert found["environment_files"] == tracker
    # The merge that the client repeats inline does not count: a file changed later does.
    changed(api, path, {"files": {tracker[1]: values(p="B")}})
    assert in_effect(api, path) == "B"
    assert environment(api, path)["resource_registry"] == HOOKS["resource_registry"]


def test_v19_what_is_inline_follows_the_files_and_precedes_explicit_parameters(api: Api) -> None:
    inline = {"parameters": {"p": "inline", "q": "inline"}}
    path = new(api, "a", files=AB, environment=inline, parameters={"q": "explicit"})
    assert (in_effect(api, path), in_effect(api, path, "q")) == ("inline", "explicit")
    changed(api, path, {"environment_files": ["b"]})
    assert in_effect(api, path) == "inline"
    changed(api, path, {"clear_parameters": ["p", "q"]})
    assert (in_effect(api, path), in_effect(api, path, "q")) == ("b", "a")


def test_v20_a_file_may_be_listed_twice_and_the_last_place_counts(api: Api) -> None:
    path = new(api, "a", "b", "a", files=AB)
    assert environment(api, path)["environment_files"] == ["a", "b", "a"]
    assert in_effect(api, path) == "a"
    changed(api, path, {"files": {"a": values(p="A")}, "environment_files": ["a"]})
    assert environment(api, path)["environment_files"] == ["a", "b", "a"]
    assert in_effect(api, path) == "A"
    more = {"c": values(p="c", q="c"), "d": values(p="d")}
    changed(api, path, {"files": more, "environment_files": ["c", "d", "c"]})
    assert environment(api, path)["environment_files"] == ["a", "b", "a", "c", "d", "c"]
    assert in_effect(api, path) == "c"


def test_v21_nothing_can_include_anything(api: Api) -> None:
    """A name in an environment is a text like any other, even its own."""
    circle = {"a": values(p="b"), "b": values(p="a")}
    path = new(api, "a", "b", files=circle)
    assert in_effect(api, path) == "a"
    for key in ("environment_files", "include", "environments"):
        assert f'"{key}"' in refusal(api, body("a", files={"a": json.dumps({key: ["a"]})}))


def test_v22_heatclient_sends_its_list_unchanged(api: Api, tmp_path: Path) -> None:
    client = heat_client(api)
    paths = []
    for name, text in (("one.yaml", AB["a"]), ("two.yaml", AB["b"])):
        (tmp_path / name).write_text(text, encoding="utf-8")
        paths.append(str(tmp_path / name))
    tracker: list[str] = []
    files, merged = template_utils.process_multiple_environments_and_files(
        paths, env_list_tracker=tracker
    )
    client.stacks.create(
        stack_name="listed", template=yaml.safe_load(TEMPLATE), files=files, environment=merged,
        environment_files=tracker,
    )  # fmt: skip
    stack_id = client.stacks.get("listed").id
    api.wait(stack_id)
    (tmp_path / "one.yaml").write_text(values(p="later", q="later"), encoding="utf-8")
    again: list[str] = []
    files, merged = template_utils.process_multiple_environments_and_files(
        paths[:1], env_list_tracker=again
    )
    client.stacks.update(
        "listed", existing=True, files=files, environment=merged, environment_files=again
    )
    assert api.wait(stack_id) == "UPDATE_COMPLETE"
    path = f"/stacks/listed/{stack_id}"
    assert client.stacks.environment("listed")["environment_files"] == tracker
    assert (in_effect(api, path), in_effect(api, path, "q")) == ("b", "later")


def test_v24_a_rollback_returns_to_the_list_of_that_state(api: Api) -> None:
    path = new(api, "a", "b", files=AB, disable_rollback=False)
    before, files = environment(api, path), api.get(f"{path}/files").json()
    failing = TEMPLATE.replace("{value:", "{fail: true, value:")
    sent = {
        "template": failing,
        "files": {"a": values(q="new"), "c": values(p="c")},
        "environment_files": ["c"],
        "parameters": {"size": 9},
    }
    changed(api, path, sent, "ROLLBACK_COMPLETE")
    assert environment(api, path) == before
    assert api.get(f"{path}/files").json() == files
    assert (in_effect(api, path), in_effect(api, path, "q")) == ("b", "a")
    changed(api, path, {"files": {"b": values(p="later")}})
    assert in_effect(api, path) == "later"


def test_v24_restoring_a_snapshot_returns_to_the_list_of_that_state(api: Api) -> None:
    path = new(api, "a", "b", files=AB, parameters={"size": 1})
    before, files = environment(api, path), api.get(f"{path}/files").json()
    stack_id = path.rsplit("/", 1)[1]
    snapshot = api.post(f"{path}/snapshots", json={}).json()["id"]
    assert api.wait(stack_id) == "SNAPSHOT_COMPLETE"
    changed(api, path, {"files": {"a": "{}", "c": values(p="c")}, "environment_files": ["c"]})
    assert in_effect(api, path) == "c"
    assert api.post(f"{path}/snapshots/{snapshot}/restore").status_code == 202
    assert api.wait(stack_id) == "RESTORE_COMPLETE"
    assert environment(api, path) == before
    assert api.get(f"{path}/files").json() == files
    assert in_effect(api, path) == "b"


WORD, OLD_WORD, INNER = "correct-horse", "battery-staple", "inner-secret"
INNER_TEMPLATE = (
    VERSION
    + """
parameters:
  inner: {type: string, hidden: true, default: x}
  passed: {type: string, hidden: true, default: x}
  plain: {type: string, default: x}
resources:
  leaf:
    type: OS::Heat::TestResource
    properties:
      value: {list_join: [" ", [{get_param: inner}, {get_param: plain}]]}
      client_name: {get_param: passed}
"""
)


def test_v25_hidden_values_are_shown_as_stars_only(api: Api) -> None:
    template = TEMPLATE.replace(
        "outputs:",
        "  nest: {type: inner.yaml, properties: {passed: {get_param: secret}}}\noutputs:",
    )
    files = {
        "inner.yaml": INNER_TEMPLATE,
        "one.yaml": f"parameters:\n  secret: {OLD_WORD}\n  p: seen\n",
        "two.yaml": f"# a note\nparameter_defaults: {{inner: {INNER}}}\nparameters: {{q: x}}\n",
    }
    sent = {**body("one.yaml", "two.yaml", files=files), "template": template}
    path = made(api, "hidden", {**sent, "parameters": {"secret": WORD}})
    shown = environment(api, path, origins=True)
    assert shown["parameters"] == {"secret": "******", "p": "seen", "q": "x"}
    assert shown["parameter_defaults"] == {"inner": "******"}
    found = api.get(f"{path}/files").json()
    assert json.loads(found["one.yaml"])["parameters"] == {"secret": "******", "p": "seen"}
    assert found["inner.yaml"] == INNER_TEMPLATE
    overrode = [each for each in shown["origins"] if each["overrode"]]
    assert [each["overrode"][0]["value"] for each in overrode] == ["******"]

    nested = next(item for item in listed(api, path) if item["resource_name"] == "nest")[
        "physical_resource_id"
    ]
    inner = api.get(f"/stacks/{nested}", follow_redirects=True).json()["stack"]
    inner_path = f"/stacks/{inner['stack_name']}/{nested}"
    changes = {
        "parameters": {"secret": "tr0ub4dor"},
        "environment": {"parameter_defaults": {"inner": "another-secret"}},
    }
    answers = [
        api.get(path),
        api.get(f"{path}/environment", params={"origins": True}),
        api.get(f"{path}/files"),
        api.get(inner_path),
        api.get(f"{inner_path}/environment", params={"origins": True}),
        api.get(f"{inner_path}/files"),
        api.get(f"{path}/events", params={"nested_depth": "MAX"}),
        api.post(
            "/stacks/preview",
            json={"stack_name": "hidden-2", **sent, "parameters": {"secret": WORD}},
        ),
        api.patch(f"{path}/preview", json=changes, params={"show_nested": True}),
        api.put(f"{path}/preview", json={**sent, **changes}, params={"show_nested": True}),
    ]
    for stack, name in ((path, "thing"), (path, "nest"), (inner_path, "leaf")):
        events = api.get(f"{stack}/resources/{name}/events").json()["events"]
        answers.append(api.get(f"{stack}/resources/{name}/events/{events[0]['id']}"))
        assert answers[-1].json()["event"]["resource_properties"]
    for number, answer in enumerate(answers):
        assert answer.status_code == 200, (number, answer.text)
        for word in (WORD, OLD_WORD, INNER, "tr0ub4dor", "another-secret"):
            assert word not in answer.text, (number, answer.text)
    snapshot = api.post(f"{path}/snapshots", json={}).json()["id"]
    assert api.wait(path.rsplit("/", 1)[1]) == "SNAPSHOT_COMPLETE"
    changed(api, path, {"parameters": {"secret": "tr0ub4dor"}})
    kept = api.get(f"{path}/snapshots/{snapshot}")
    assert kept.json()["snapshot"]["data"]
    for word in (WORD, INNER, "tr0ub4dor"):
        assert word not in kept.text
    deleted(api, path)
    for answer in (
        api.get(path),
        api.get(f"{path}/environment", params={"origins": True}),
        api.get(f"{path}/files"),
    ):
        assert answer.status_code == 200
        assert WORD not in answer.text
        assert INNER not in answer.text


def test_origins_tell_file_line_and_what_was_overridden_for_every_value(api: Api) -> None:
    files = {
        "base.yaml": "parameters:\n  p: base\n  labels: {x: 1, deep: {y: 2}}\n",
        "more.yaml": "parameters:\n\n  p: more\n  labels:\n    deep: {y: 3}\n"
        "parameter_defaults: {q: default}\nresource_registry:\n  My::Type: OS::Heat::None\n",
    }
    inline = "resource_registry:\n  resources: {thing: {hooks: pre-delete}}\n"
    path = new(
        api, "base.yaml", "more.yaml", files=files, environment=inline, parameters={"size": 5}
    )
    found = environment(api, path, origins=True)
    origins = {".".join(each["path"]): each for each in found["origins"]}
    told = {
        name: (
            each["file"],
            each["line"],
            [(e["file"], e["line"], e["value"]) for e in each["overrode"]],
        )
        for name, each in origins.items()
    }
    assert told == {
        "parameters.p": ("more.yaml", 3, [("base.yaml", 2, "base")]),
        "parameters.labels.x": ("base.yaml", 3, []),
        "parameters.labels.deep.y": ("more.yaml", 5, [("base.yaml", 3, 2)]),
        "parameters.size": ("explicit parameters", None, []),
        "parameter_defaults.q": ("more.yaml", 6, []),
        "resource_registry.My::Type": ("more.yaml", 8, []),
        "resource_registry.resources.thing.hooks": ("inline environment", 2, []),
    }
    assert "origins" not in environment(api, path, origins=False)
    assert api.get(f"{path}/environment", params={"origins": "maybe"}).status_code == 400


def test_a_wrong_value_is_told_with_the_file_and_line_that_gives_it(api: Api) -> None:
    files = {"a": AB["a"], "mine.yaml": "parameters:\n  sice: 1\n  flag: perhaps\n"}
    for path in ("/stacks", "/validate"):
        sent = {"stack_name": "refused", **body("a", "mine.yaml", files=files)}
        answer = api.post(path, json=sent)
        assert answer.status_code == 400
        error = answer.json()["error"]
        assert error["type"] == "UnknownUserParameter"
        assert error["message"].startswith(
            'The Parameter (sice) was not defined in template. Did you mean "size"? (mine.yaml:2:3)'
        )
        assert error["problems"][0] == {
            "message": 'the template has no parameter "sice"',
            "hint": 'did you mean "size"?',
            "cause": "a value for a parameter that does not exist",
            "path": "parameters.sice",
            "file": "mine.yaml",
            "line": 2,
            "column": 3,
        }
        assert [(each["file"], each["line"]) for each in error["problems"]] == [
            *(("mine.yaml", 2), ("mine.yaml", 3)),
        ]


def test_a_changed_file_reaches_the_stacks_inside(api: Api) -> None:
    """V and N together: nested stacks work with the merged environment."""
    middle = VERSION + "resources: {inner: {type: inner.yaml}}"
    group = "{type: OS::Heat::ResourceGroup, properties: {count: 2, resource_def: {type: M}}}"
    template = VERSION + f"resources: {{group: {group.replace('M', 'middle.yaml')}}}"
    files = {
        "inner.yaml": INNER_TEMPLATE,
        "middle.yaml": middle,
        "a": json.dumps({"parameter_defaults": {"plain": "before"}}),
        "b": json.dumps({"parameter_defaults": {"inner": "user"}}),
    }
    sent = {"template": template, "files": files, "environment_files": ["a", "b"]}
    path = made(api, f"reached-{next(_numbers)}", sent)

    def leaves() -> list[str]:
        items = listed(api, path, nested_depth="MAX", name="leaf", with_detail=True)
        return [item["attributes"]["output"] for item in items]

    assert leaves() == ["user before"] * 2
    changed(api, path, {"files": {"a": json.dumps({"parameter_defaults": {"plain": "after"}})}})
    assert leaves() == ["user after"] * 2
    # A nested template is a file as well.
    changed(api, path, {"files": {"inner.yaml": INNER_TEMPLATE.replace('" "', '"+"')}})
    assert leaves() == ["user+after"] * 2
    before = environment(api, path)
    deleted(api, path)
    assert environment(api, path) == before
    assert len(listed(api, path, nested_depth="MAX", name="leaf")) == 2


def test_every_requirement_has_a_test_that_carries_its_number() -> None:
    tests = Path(__file__).parents[2]
    sources = [
        Path(__file__),
        # V23 is an option of the command.
        tests / "acceptance" / "command" / "test_template_validate.py",
    ]
    text = "".join(source.read_text(encoding="utf-8") for source in sources)
    assert [number for number in range(1, 26) if f"def test_v{number:02}_" not in text] == []


def test_files_that_act_as_types_are_shown_in_the_registry(api: Api) -> None:
    inner = VERSION + "resources: {v: {type: OS::Heat::Value, properties: {value: 1}}}"
    template = VERSION + (
        "resources:\n  a: {type: inner.yaml}\n  b: {type: My::Type}\n"
        "  g: {type: OS::Heat::ResourceGroup, properties: "
        "{count: 1, resource_def: {type: member.yaml}}}"
    )
    files = dict.fromkeys(("inner.yaml", "my.yaml", "member.yaml", "unused.yaml"), inner)
    sent = {"template": template, "files": files}
    given = {"resource_registry": {"My::Type": "my.yaml"}}
    path = made(api, f"stack-{next(_numbers)}", {**sent, "environment": given})
    assert environment(api, path)["resource_registry"] == {
        "resources": {},
        "My::Type": "my.yaml",
        "inner.yaml": "inner.yaml",
        "member.yaml": "member.yaml",
    }
    # What was read can be sent again.
    shown = {"resource_registry": environment(api, path)["resource_registry"]}
    changed(api, path, {**sent, "environment": shown}, put=True)
    assert environment(api, path)["resource_registry"] == shown["resource_registry"]
