"""Bad requests are refused in Heat's form, in words that name the field; nothing is written.

What each endpoint declares is tried by itself: a new field needs no new test.
"""

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from hotplate.api.endpoints import ENDPOINTS
from hotplate.api.http.endpoint import Endpoint
from hotplate.api.http.fields import Field, Kind, Query, QueryKind
from hotplate.api.http.settings import Settings
from hotplate.engine.embedded import embedded
from hotplate.resources.directory import Directory
from hotplate.server.access.admission import Admission
from hotplate.server.access.identity import digest_of_token
from hotplate.server.access.token_file import Holder, TokenFile
from hotplate.server.access.watched import Watched
from hotplate.server.service import application
from hotplate.store.schema import METADATA
from tests.api.conftest import PROJECT, Api, WatchedDatabase

HOT = "heat_template_version: 2021-04-16\n"
TEMPLATE = (
    HOT
    + """
parameters: {word: {type: string, default: a}, size: {type: number, default: 1}}
resources:
  one: {type: OS::Heat::TestResource, properties: {value: {get_param: word}}}
  inner: {type: inner.yaml}
outputs: {word: {value: {get_param: word}}}
"""
)
FILES = {"inner.yaml": HOT + "resources: {leaf: {type: OS::Heat::TestResource}}"}
NOBODY = "5b8e4b9f-31f4-4b6a-9f0a-0c4b5f0d5a11"
Rows = dict[str, list[tuple[Any, ...]]]


class Stage:
    """An API with one of everything in its database, which bad requests must not change."""

    def __init__(self, api: Api, file: Path) -> None:
        self.api = api
        self._file = file
        body = {"stack_name": "here", "template": TEMPLATE, "files": FILES}
        stack_id = api.post("/stacks", json=body).json()["stack"]["id"]
        assert api.wait(stack_id) == "CREATE_COMPLETE"
        self.stack = f"/stacks/here/{stack_id}"
        snapshot = api.post(f"{self.stack}/snapshots", json={"name": "s"}).json()["id"]
        api.wait(stack_id)
        config = api.post("/software_configs", json={"name": "c"}).json()["software_config"]["id"]
        deployment = api.post(
            "/software_deployments", json={"config_id": config, "server_id": "server"}
        ).json()["software_deployment"]["id"]
        event = api.get(f"{self.stack}/resources/one/events").json()["events"][0]["id"]
        self.names = {
            "stack_name": "here",
            "name_or_id": "here",
            "stack_id": stack_id,
            "arn": f"openstack:heat::{PROJECT}:stacks/here/{stack_id}",
            "resource_name": "one",
            "event_id": event,
            "snapshot_id": snapshot,
            "output_key": "word",
            "type_name": "OS::Heat::TestResource",
            "template_version": "heat_template_version.2021-04-16",
            "config_id": config,
            "deployment_id": deployment,
            "server_id": "server",
            "execution_id": "b7e3f9a0-0000-4000-8000-000000000000",
        }

    def address(self, path: str, **others: str) -> str:
        """Return an address with the names of things that exist, or of others."""
        return path.replace(":path}", "}").format(**self.names | others)

    def rows(self) -> Rows:
        """Return everything in the database but the signs of life of the worker."""
        with closing(sqlite3.connect(self._file)) as connection:
            return {
                table.name: connection.execute(f'SELECT * FROM "{table.name}"').fetchall()
                for table in METADATA.sorted_tables
                if table.name != "worker"
            }


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("bad_requests")
    file = folder / "hotplate.db"
    stack = AsyncExitStack()
    services = {"directory": Directory(folder / "objects")}
    with asyncio.Runner() as runner:
        opening = embedded(file, services, open_database=WatchedDatabase)
        engine = runner.run(stack.enter_async_context(opening))
        api = Api(runner, engine, Settings())
        try:
            yield Stage(api, file)
        finally:
            runner.run(api.client.aclose())
            runner.run(stack.aclose())


@pytest.fixture(autouse=True)
def nothing_is_written(stage: Stage) -> Iterator[None]:
    before = stage.rows()
    yield
    assert stage.rows() == before


def refused(response: httpx.Response, status: int, *words: str, kind: str = "") -> None:
    """The answer is a fault of that status whose message has the words."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    assert response.headers["x-openstack-request-id"].startswith("req-")
    fault = response.json()
    assert (fault["code"], fault["error"]["traceback"]) == (status, None)
    assert fault["title"]
    assert fault["explanation"]
    for word in words:
        assert word in fault["error"]["message"]
    if kind:
        assert fault["error"]["type"] == kind


# What the endpoints declare: every field and every parameter, with every kind of wrong value.

VALUES: dict[Kind | None, Any] = {
    Kind.TEXT: "text",
    Kind.MAP: {"a": 1},
    Kind.LIST: ["a"],
    Kind.FLAG: True,
    Kind.COUNT: 7,
    None: 1.5,
}
FITTING = {
    "stack_name": "new",
    "config_id": "c",
    "server_id": "server",
    "mark_unhealthy": True,
    "files": {},
}
WITH_BODY = [endpoint for endpoint in ENDPOINTS if endpoint.body is not None]


def wrong_values(declared: Field) -> Iterator[Any]:
    """Yield values that a field cannot have."""
    yield from (value for kind, value in VALUES.items() if kind not in declared.kinds)
    if Kind.COUNT in declared.kinds and Kind.MAP not in declared.kinds:
        yield from (-1, declared.most + 1, 10**30)
    if declared.longest is not None:
        yield "x" * (declared.longest + 1)
    if declared.items:
        item = next(value for kind, value in VALUES.items() if kind not in declared.items)
        yield from ([item] for kind in declared.kinds if kind is Kind.LIST)
        yield from ({"key": item} for kind in declared.kinds if kind is Kind.MAP)
    if declared.required:
        yield None


def name_of(endpoint: Endpoint) -> str:
    return f"{endpoint.method} {endpoint.path}"


FIELDS = [
    pytest.param(endpoint, declared, id=f"{name_of(endpoint)} {declared.name}")
    for endpoint in WITH_BODY
    for declared in (endpoint.body.fields if endpoint.body else ())
]
PARAMETERS = [
    pytest.param(endpoint, parameter, id=f"{name_of(endpoint)} {parameter.name}")
    for endpoint in ENDPOINTS
    for parameter in endpoint.query
]


def body_of(endpoint: Endpoint) -> dict[str, Any]:
    assert endpoint.body is not None
    return {
        declared.name: FITTING[declared.name]
        for declared in endpoint.body.fields
        if declared.required
    }


@pytest.mark.parametrize(("endpoint", "declared"), FIELDS)
def test_a_field_of_another_kind_is_named(
    stage: Stage, endpoint: Endpoint, declared: Field
) -> None:
    address = stage.address(endpoint.path)
    for value in wrong_values(declared):
        body = json.dumps({**body_of(endpoint), declared.name: value})
        response = stage.api.request(endpoint.method, address, content=body)
        refused(response, 400, declared.name)


WRONG_WORDS = {
    QueryKind.FLAG: ("yes", "1", "truee"),
    QueryKind.COUNT: ("-1", "1.5", "x", "1_000", "٣", "9" * 19),
    QueryKind.DEPTH: ("-1", "1.5", "deep", "MAXI", "1_000", "٣"),
}


@pytest.mark.parametrize(("endpoint", "parameter"), PARAMETERS)
def test_a_query_parameter_of_another_kind_is_named(
    stage: Stage, endpoint: Endpoint, parameter: Query
) -> None:
    address = stage.address(endpoint.path)
    words = (*WRONG_WORDS.get(parameter.kind, ()), *(["nonsense"] if parameter.choices else []))
    for spelling in (parameter.name, *parameter.aliases):
        for word in words:
            response = stage.api.request(endpoint.method, address, params={spelling: word})
            refused(response, 400, parameter.name)
        response = stage.api.request(endpoint.method, address, params={spelling: "a\0b"})
        refused(response, 400, "NUL")


@pytest.mark.parametrize("endpoint", WITH_BODY, ids=name_of)
def test_a_body_that_cannot_be_read_is_refused(stage: Stage, endpoint: Endpoint) -> None:
    address = stage.address(endpoint.path)
    told = [
        (b'{"stack_name": ', "not valid JSON"),
        (b'{"stack_name": NaN}', "not valid JSON"),
        (b'{"stack_name": Infinity}', "not valid JSON"),
        (b'{"a": 1} {"b": 2}', "not valid JSON"),
        (b"{'a': 1}", "not valid JSON"),
        ('{"stack_name": "größer"}'.encode("latin-1"), "not valid JSON"),
        (b'{"stack_name": "a\\u0000b"}', "NUL"),
        (b'{"stack_name": "\\ud800"}', "not valid JSON"),
        (b'{"a":' * 2000 + b"1" + b"}" * 2000, "not valid JSON"),
        (b'{"a": "' + b"x" * (33 * 1024 * 1024) + b'"}', "larger than the maximum"),
    ]
    for content, words in told:
        refused(stage.api.request(endpoint.method, address, content=content), 400, words)


@pytest.mark.parametrize(
    "endpoint", [each for each in WITH_BODY if each.body and each.body.required], ids=name_of
)
def test_what_is_no_json_object_counts_as_no_body(stage: Stage, endpoint: Endpoint) -> None:
    address = stage.address(endpoint.path)
    for content in (b"", b"[]", b'"text"', b"null", b"\xff\xfe{\x00}\x00"):
        response = stage.api.request(endpoint.method, address, content=content)
        refused(response, 400, "needs a body")
    for kind in ("application/x-yaml", "text/html", "multipart/form-data; boundary=x"):
        response = stage.api.request(
            endpoint.method, address, content=b"{}", headers={"content-type": kind}
        )
        refused(response, 400, "needs a body")


@pytest.mark.parametrize(
    "endpoint", [each for each in WITH_BODY if each.body and each.body.closed], ids=name_of
)
def test_unknown_keys_of_a_closed_body_are_named(stage: Stage, endpoint: Endpoint) -> None:
    body = {**body_of(endpoint), "unheard_of": 1}
    response = stage.api.request(endpoint.method, stage.address(endpoint.path), json=body)
    refused(response, 400, "unheard_of")


# Methods and addresses.

PATHS = sorted({endpoint.path for endpoint in ENDPOINTS})


@pytest.mark.parametrize("path", PATHS)
def test_other_methods_are_refused_and_the_right_ones_told(stage: Stage, path: str) -> None:
    address = stage.address(path)
    possible = {endpoint.method for endpoint in ENDPOINTS if endpoint.path == path}
    told = stage.api.request("OPTIONS", address)
    assert (told.status_code, told.content) == (204, b"")
    assert set(told.headers["allow"].split(", ")) == {*possible, "OPTIONS"}
    for method in sorted({"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW"} - possible):
        response = stage.api.request(method, address)
        refused(response, 405, method)
        assert response.headers["allow"] == told.headers["allow"]


@pytest.mark.parametrize("variable", ["stack_name", "stack_id"])
@pytest.mark.parametrize(
    "endpoint", [each for each in ENDPOINTS if "{stack_id}" in each.path], ids=name_of
)
def test_an_unknown_stack_is_named(stage: Stage, endpoint: Endpoint, variable: str) -> None:
    for value in ("not-here", NOBODY):
        address = stage.address(endpoint.path, **{variable: value})
        body = None if endpoint.body is None else {**body_of(endpoint), "template": TEMPLATE}
        if endpoint.body is not None and endpoint.body.closed:
            body = body_of(endpoint)
        response = stage.api.request(endpoint.method, address, json=body)
        refused(response, 404, "Stack", value, kind="EntityNotFound")


@pytest.mark.parametrize(
    ("method", "path", "name"),
    [
        ("GET", "/stacks/{x}", "name_or_id"),
        ("DELETE", "/stacks/{x}", "name_or_id"),
        ("GET", "/stacks/{x}/resources", "name_or_id"),
        ("GET", "{stack}/resources/{x}", "resource_name"),
        ("GET", "{stack}/resources/{x}/metadata", "resource_name"),
        ("GET", "{stack}/resources/{x}/events", "resource_name"),
        ("POST", "{stack}/resources/{x}/signal", "resource_name"),
        ("GET", "{stack}/resources/one/events/{x}", "event_id"),
        ("GET", "{stack}/snapshots/{x}", "snapshot_id"),
        ("DELETE", "{stack}/snapshots/{x}", "snapshot_id"),
        ("POST", "{stack}/snapshots/{x}/restore", "snapshot_id"),
        ("GET", "{stack}/outputs/{x}", "output_key"),
        ("GET", "/resource_types/{x}", "type_name"),
        ("GET", "/resource_types/{x}/template", "type_name"),
        ("GET", "/template_versions/{x}/functions", "template_version"),
        ("GET", "/software_configs/{x}", "config_id"),
        ("DELETE", "/software_configs/{x}", "config_id"),
        ("GET", "/software_deployments/{x}", "deployment_id"),
        ("DELETE", "/software_deployments/{x}", "deployment_id"),
    ],
)
def test_unknown_names_are_named(stage: Stage, method: str, path: str, name: str) -> None:
    for unknown in (NOBODY, "größer", "x" * 300):
        address = path.format(stack=stage.stack, x=unknown)
        refused(stage.api.request(method, address), 404, unknown)


@pytest.mark.parametrize("path", ["/nowhere", "/stacks/here/x/y/z", ""])
def test_an_address_of_nothing_is_told_in_plain_text(stage: Stage, path: str) -> None:
    response = stage.api.get(path)
    assert (response.status_code, response.text) == (404, "Not Found")
    assert response.headers["content-type"].startswith("text/plain")


# What a recipe and its options can have wrong with them.


@dataclass(frozen=True)
class Bad:
    """A body that cannot be meant, and what the answer says about it."""

    name: str
    body: dict[str, Any]
    words: tuple[str, ...]
    kind: str = ""
    also_patch: bool = True


def resources(text: str) -> dict[str, Any]:
    return {"template": f"{HOT}resources: {text}"}


RECIPES = [
    Bad("no template", {"template": None}, ("No template",), also_patch=False),
    Bad("empty template", {"template": ""}, ("No template",), also_patch=False),
    Bad("no version", {"template": {"resources": {}}}, ("version",)),
    Bad("unknown version", {"template": "heat_template_version: 1999-01-01"}, ("1999-01-01",)),
    Bad("no YAML", {"template": "a: [b"}, ("not valid YAML", "template:2:1")),
    Bad("a scalar", {"template": "just words"}, ("emplate",)),
    Bad("unknown section", {"template": HOT + "resuorces: {}"}, ("resuorces",)),
    Bad("unknown type", resources("{a: {type: No::Such::Type}}"), ("No::Such::Type",)),
    Bad(
        "unknown property",
        resources("{a: {type: OS::Heat::TestResource, properties: {valeu: 1}}}"),
        ("valeu",),
    ),
    Bad(
        "wrong property",
        resources("{a: {type: OS::Heat::TestResource, properties: {wait_secs: soon}}}"),
        ("wait_secs",),
    ),
    Bad(
        "unknown resource",
        resources(
            "{a: {type: OS::Heat::TestResource, properties: {value: {get_resource: nobody}}}}"
        ),
        ("nobody",),
        "InvalidTemplateReference",
    ),
    Bad(
        "circle",
        resources("{a: {type: OS::Heat::None, depends_on: a}}"),
        ("a",),
        "CircularDependencyException",
    ),
    Bad(
        "missing file",
        resources("{a: {type: OS::Heat::TestResource, properties: {value: {get_file: gone.sh}}}}"),
        ("gone.sh",),
    ),
    Bad("missing nested template", resources("{a: {type: gone.yaml}}"), ("gone.yaml",)),
    Bad(
        "missing parameter",
        {"template": HOT + "parameters: {must: {type: string}}"},
        ("must",),
        "UserParameterMissing",
    ),
    Bad("undeclared parameter", {"parameters": {"nobody": 1}}, ("nobody",), "UnknownUserParameter"),
    Bad("wrong parameter", {"parameters": {"size": "big"}}, ("size",)),
    Bad("missing environment file", {"environment_files": ["gone.yaml"]}, ("gone.yaml",)),
    Bad(
        "broken environment file",
        {"environment_files": ["e.yaml"], "files": {**FILES, "e.yaml": "parameters: ["}},
        ("e.yaml",),
    ),
    Bad("unknown environment section", {"environment": {"paramaters": {}}}, ("paramaters",)),
    Bad("broken environment", {"environment": "a: ["}, ("nvironment",)),
    Bad("address of a file", {"template": None, "template_url": "file:///etc/passwd"}, ("file",)),
    Bad("address of nothing", {"template": None, "template_url": "not an address"}, ("template",)),
    Bad("container", {"files_container": "c"}, ("files_container",)),
    Bad(
        "10 MB",
        {"template": HOT + "# " + "x" * 10_000_000},
        ("10000036 bytes", "exceeds maximum allowed size"),
        "RequestLimitExceeded",
    ),
    Bad("deep template", {"template": HOT + "description: " + "[" * 5000}, ("deep",)),
    Bad(
        "many aliases",
        {
            "template": HOT
            + "\n".join(
                f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9) if n else 1}]" for n in range(12)
            )
        },
        ("alias",),
    ),
]
OPTIONS = [
    Bad("negative timeout", {"timeout_mins": -5}, ("timeout_mins",)),
    Bad("negative timeout as text", {"timeout_mins": "-5"}, ("timeout_mins",)),
    Bad("timeout in words", {"timeout_mins": "soon"}, ("timeout_mins",)),
    Bad("huge timeout", {"timeout_mins": 2**31}, ("timeout_mins",)),
    Bad("huge timeout as text", {"timeout_mins": str(2**31)}, ("timeout_mins",)),
    Bad("rollback in words", {"disable_rollback": "maybe"}, ("disable_rollback",)),
    Bad("long tag", {"tags": "t" * 81}, ("tag",)),
    Bad("long tag in a list", {"tags": ["fine", "t" * 81]}, ("tag",)),
]
NAMES = ["1st", "", " ", "a b", "a/b", "größer", "-a", "a" * 256, "a\n", "../a"]


@pytest.mark.parametrize("bad", [*RECIPES, *OPTIONS], ids=lambda bad: bad.name)
def test_a_recipe_that_cannot_be_is_explained(stage: Stage, bad: Bad) -> None:
    body = {"template": TEMPLATE, "files": FILES, **bad.body}
    asked = [
        ("POST", "/stacks", {"stack_name": "new", **body}),
        ("POST", "/stacks/preview", {"stack_name": "new", **body}),
        ("PUT", stage.stack, body),
    ]
    if bad in RECIPES:
        asked.append(("PUT", f"{stage.stack}/preview", body))
    if bad in RECIPES and bad.kind != "UserParameterMissing":
        asked.append(("POST", "/validate", body))
    if bad.also_patch:
        asked.append(("PATCH", stage.stack, {k: v for k, v in bad.body.items() if v is not None}))
    for method, path, content in asked:
        response = stage.api.request(method, path, content=json.dumps(content))
        refused(response, 400, *bad.words, kind=bad.kind)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("path", ["/stacks", "/stacks/preview"])
def test_a_name_that_is_no_name_is_told(stage: Stage, path: str, name: str) -> None:
    body = {"stack_name": name, "template": TEMPLATE, "files": FILES}
    refused(stage.api.post(path, json=body), 400, f"Invalid stack name {name}")


@pytest.mark.parametrize("path", ["/stacks", "/stacks/preview"])
def test_a_name_that_is_taken_is_told(stage: Stage, path: str) -> None:
    body = {"stack_name": "here", "template": TEMPLATE, "files": FILES}
    refused(stage.api.post(path, json=body), 409, "The Stack (here)", kind="StackExists")


@pytest.mark.parametrize(
    "data",
    [
        "{",
        "[]",
        '"text"',
        "{}",
        '{"resources": []}',
        '{"template": 5}',
        '{"template": {}, "resources": {"a": 5}}',
        '{"template": {"heat_template_version": "2021-04-16", "resources": '
        '{"a": {"type": "OS::Heat::TestResource"}}}, "resources": {"a": "text"}}',
    ],
)
def test_what_abandon_did_not_write_cannot_be_adopted(stage: Stage, data: str) -> None:
    body = {"stack_name": "new", "adopt_stack_data": data}
    refused(stage.api.post("/stacks", json=body), 400)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "No action"),
        ({"suspend": None, "resume": None}, "Multiple actions"),
        ({"explode": None}, "Invalid action explode"),
        ({"cancel_update": None}, "Cancelling update when stack is"),
        ({"cancel_without_rollback": None}, "Cancelling update when stack is"),
    ],
)
def test_actions_that_cannot_be_are_told(stage: Stage, body: dict[str, Any], words: str) -> None:
    refused(stage.api.post(f"{stage.stack}/actions", json=body), 400, words)


def test_an_update_on_a_condition_that_does_not_hold_is_refused(stage: Stage) -> None:
    body = {"template": TEMPLATE, "files": FILES}
    for method in ("PUT", "PATCH", "DELETE"):
        for given in ("nonsense", '"-1"', '"99999999999"'):
            response = stage.api.request(
                method, stage.stack, content=json.dumps(body), headers={"if-match": given}
            )
            refused(response, 400, "If-Match")
        response = stage.api.request(
            method, stage.stack, content=json.dumps(body), headers={"if-match": '"999"'}
        )
        refused(response, 412)


def test_unknown_filters_of_resources_are_refused_and_those_of_stacks_ignored(
    stage: Stage,
) -> None:
    response = stage.api.get(f"{stage.stack}/resources", params={"colour": "red", "name": "one"})
    refused(response, 400, "Invalid filter parameters", "colour")
    assert len(stage.api.get("/stacks", params={"colour": "red"}).json()["stacks"]) == 1


def test_a_long_tag_in_a_filter_is_refused(stage: Stage) -> None:
    for name in ("tags", "tags_any", "not-tags", "not-tags-any"):
        refused(stage.api.get("/stacks", params={name: "t" * 81}), 400, name.replace("-", "_"))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"inputs": [{"type": "String"}]}, "name"),
        ({"inputs": [{"name": "i", "type": "Text"}]}, "type"),
        ({"outputs": [{"name": {"a": 1}}]}, "name"),
        ({"outputs": [{"name": "o", "error_output": "maybe"}]}, "error_output"),
        ({"inputs": ["text"]}, "inputs"),
    ],
)
def test_software_configs_that_cannot_be(stage: Stage, body: dict[str, Any], words: str) -> None:
    refused(stage.api.post("/software_configs", json=body), 400, words)


def test_a_config_in_use_cannot_be_deleted_and_an_unknown_one_not_deployed(stage: Stage) -> None:
    config = stage.names["config_id"]
    refused(stage.api.delete(f"/software_configs/{config}"), 409)
    body = {"config_id": NOBODY, "server_id": "server"}
    response = stage.api.post("/software_deployments", json=body)
    assert response.status_code in (400, 404)
    assert NOBODY in response.json()["error"]["message"]
    change = {"config_id": NOBODY}
    address = f"/software_deployments/{stage.names['deployment_id']}"
    assert NOBODY in stage.api.put(address, json=change).json()["error"]["message"]


def test_tokens_open_one_project_and_no_other(stage: Stage) -> None:
    identify = TokenFile(Watched(list, lambda: {digest_of_token("open"): Holder("me", "mine")}))
    app = application(stage.api.engine, Admission(identify))
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    body = {"stack_name": "new", "template": TEMPLATE, "files": FILES}

    async def ask(project: str, token: str | None) -> httpx.Response:
        headers = {} if token is None else {"x-auth-token": token}
        async with httpx.AsyncClient(transport=transport) as client:
            address = f"http://testserver/v1/{project}/stacks"
            return await client.post(address, json=body, headers=headers)

    without = stage.api.run(ask("mine", None))
    refused(without, 401, "X-Auth-Token")
    assert without.headers["www-authenticate"]
    refused(stage.api.run(ask("mine", "wrong")), 401)
    refused(stage.api.run(ask(PROJECT, "open")), 403, PROJECT, kind="Forbidden")
