"""Environments kept by the engine: V1 to V25 of docs/stored-environments.md, each by its number."""

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import yaml
from heatclient.common import template_utils
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from hotplate.api.http.settings import Settings
from hotplate.api.stacks.recipe_body import recipe_of
from hotplate.engine.recipes.book import RecipeBook
from hotplate.resources.catalogue import Catalogue
from tests.api.conftest import Api
from tests.api.heat_client import heat_client
from tests.api.templates.stored_environments.environments import (
    AB,
    EMPTY,
    TEMPLATE,
    body,
    environment,
    in_effect,
    new,
    numbers,
    refusal,
    values,
)
from tests.api.trees import VERSION, begin, changed, deleted, made
from tests.unit.environment.random_environments import ENVIRONMENTS_OF_MAPS
from tests.unit.environment.test_merge import client_merge, exactly


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
    path, _ = begin(api, f"typed-{next(numbers)}", {"template": TEMPLATE})
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
    path = made(api, f"merged-{next(numbers)}", {"template": template, **first})
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


def test_every_requirement_has_a_test_that_carries_its_number() -> None:
    tests = Path(__file__).parents[3]
    sources = [
        *Path(__file__).parent.glob("test_*.py"),
        # V23 is an option of the command.
        *(tests / "acceptance" / "command" / "template_validate").glob("test_*.py"),
    ]
    text = "".join(source.read_text(encoding="utf-8") for source in sources)
    assert [number for number in range(1, 26) if f"def test_v{number:02}_" not in text] == []
