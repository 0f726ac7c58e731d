"""Environments kept by the engine: what is shown of them, with the origin of each value."""

import json

from tests.api.conftest import Api
from tests.api.templates.stored_environments.environments import (
    AB,
    INNER_TEMPLATE,
    TEMPLATE,
    body,
    environment,
    new,
    numbers,
)
from tests.api.trees import VERSION, changed, deleted, listed, made

WORD, OLD_WORD, INNER = "correct-horse", "battery-staple", "inner-secret"


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
    path = made(api, f"stack-{next(numbers)}", {**sent, "environment": given})
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
