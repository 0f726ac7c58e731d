"""What create, update, preview and validate are sent: each wrong field is named."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from hotplate.api.http.settings import Settings
from tests.api.conftest import Api
from tests.api.shared_api import shared_api

TEMPLATE = {"heat_template_version": "wallaby", "resources": {"a": {"type": "OS::Heat::None"}}}
TEXT = "heat_template_version: wallaby\nresources: {a: {type: OS::Heat::None}}\n"


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with shared_api(tmp_path_factory.mktemp("api"), Settings(largest_template=2000)) as api:
        yield api


def refusal(api: Api, **body: Any) -> str:
    answer = api.post("/validate", json=body)
    assert answer.status_code == 400, answer.text
    return str(answer.json()["error"]["message"])


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "No template specified"),
        ({"template": None}, "No template specified"),
        ({"template": ""}, "No template specified"),
        ({"template": [1]}, 'the field "template" must be a map or a text'),
        (
            {"template": {"a": 1}},
            "Template not in valid format: Template format version not found.",
        ),
        ({"template": "a: 1"}, "Template not in valid format: Template format version not found."),
        ({"template": "a: ["}, "Template not in valid format: not valid YAML"),
        ({"template": TEXT + "#" * 2000}, "exceeds maximum allowed size (2000 bytes)"),
        ({"template": {**TEMPLATE, "description": "ü" * 1000}}, "exceeds maximum allowed size"),
        ({"template": TEXT, "parameters": [1]}, 'the field "parameters" must be a map'),
        (
            {"template": TEXT, "files": {"a": 1}},
            'the value "a" in the field "files" must be a text',
        ),
        ({"template": TEXT, "files": ["a"]}, 'the field "files" must be a map'),
        ({"template": TEXT, "environment_files": "a"}, '"environment_files" must be a list'),
        ({"template": TEXT, "environment_files": [1]}, "environment_files"),
        ({"template": TEXT, "environment_files": ["e.yaml"]}, 'environment file "e.yaml"'),
        ({"template": TEXT, "files_container": "c"}, "there is no object store here"),
        (
            {"template": TEXT, "environment": {"paramters": {}}},
            'Environment not in valid format: environment has wrong section "paramters"',
        ),
        (
            {"template": TEXT, "environment": {"parameters": None}},
            'Environment not in valid format: environment has empty section "parameters"',
        ),
        ({"template": TEXT, "environment": "a: ["}, "Environment not in valid format: not valid"),
        ({"template": TEXT, "environment": 3}, 'the field "environment" must be a map or a text'),
        ({"template_url": "ftp://example.com/t"}, "must begin with http:// or https://"),
        ({"template_url": "file:///etc/passwd"}, "must begin with http:// or https://"),
        ({"template_url": "http://127.0.0.1:1/t"}, "it is not a public address"),
        ({"template_url": "http://[::1]:1/t"}, "it is not a public address"),
        ({"template_url": "http://[::ffff:127.0.0.1]:1/t"}, "it is not a public address"),
        ({"template_url": "http://localhost:1/t"}, "it is not a public address"),
        ({"template_url": "http://169.254.169.254/latest"}, "it is not a public address"),
        ({"template_url": "http://[/t"}, "Could not retrieve template"),
        ({"template_url": "http://a b/t"}, "Could not retrieve template"),
    ],
)
def test_a_wrong_field_is_named(api: Api, body: dict[str, Any], said: str) -> None:
    assert said in refusal(api, **body)


def test_too_deep_an_object_is_refused(api: Api) -> None:
    deep: Any = 1
    for _ in range(300):
        deep = {"a": deep}
    assert 'the field "template" is nested too deeply' in refusal(api, template=deep)


def test_a_large_template_is_refused_with_its_class(api: Api) -> None:
    answer = api.post("/validate", json={"template": TEXT + "#" * 2000})
    assert answer.json()["error"]["type"] == "RequestLimitExceeded"


def test_lines_in_errors_are_those_of_the_text(api: Api) -> None:
    text = "heat_template_version: wallaby\nresources:\n  a:\n    type: OS::Nope\n"
    assert "(template:4:5)" in refusal(api, template=text)


@pytest.mark.parametrize("template", [TEMPLATE, TEXT])
def test_a_template_may_be_an_object_or_a_text(api: Api, template: Any) -> None:
    assert api.post("/validate", json={"template": template}).status_code == 200


class _Server(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/t")
            self.end_headers()
            return
        if self.path == "/out":
            self.send_response(302)
            self.send_header("Location", "file:///etc/passwd")
            self.end_headers()
            return
        if self.path == "/none":
            self.send_error(404)
            return
        body = {"/t": TEXT.encode(), "/large": b"#" * 3000, "/binary": b"\xff\xfe"}[self.path]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words: Any) -> None:
        """Keep quiet."""


@pytest.fixture
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Server) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def fetching(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    settings = Settings(largest_template=2000, may_fetch_private=True)
    with shared_api(tmp_path_factory.mktemp("fetching"), settings) as api:
        yield api


@pytest.mark.parametrize("path", ["/t", "/moved"])
def test_a_template_is_fetched(fetching: Api, server: str, path: str) -> None:
    answer = fetching.post("/validate", json={"template_url": server + path})
    assert answer.status_code == 200, answer.text


def test_what_an_adopted_stack_names_by_its_address_is_fetched(fetching: Api, server: str) -> None:
    inner = {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": f"{server}/t"}}
    written = {
        "template": {"HeatTemplateFormatVersion": "2012-12-12", "Resources": {"inner": inner}},
        "resources": {"inner": {"resources": {"a": {"resource_id": "any"}}}},
    }
    body = {"stack_name": "adopted", "adopt_stack_data": json.dumps(written)}
    answer = fetching.post("/stacks", json=body)
    assert answer.status_code == 201, answer.text
    assert fetching.wait(answer.json()["stack"]["id"]) == "ADOPT_COMPLETE"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/none", "the server answers 404"),
        ("/large", "exceeds maximum allowed size (2000 bytes)"),
        ("/binary", "it is not text in UTF-8"),
        ("/out", "Could not retrieve template"),
    ],
)
def test_what_cannot_be_fetched_says_why(fetching: Api, server: str, path: str, said: str) -> None:
    assert said in refusal(fetching, template_url=server + path)


def environment_of(api: Api, **body: Any) -> dict[str, Any]:
    template = {
        "heat_template_version": "wallaby",
        "parameters": {name: {"type": "string", "default": "-"} for name in "abc"},
    }
    answer = api.post("/validate", json={"template": template, **body})
    assert answer.status_code == 200, answer.text
    return dict(answer.json()["Environment"])


def test_v4_a_missing_environment_file_is_named(api: Api) -> None:
    said = refusal(api, template=TEXT, environment_files=["b", "c"], files={"b": ""})
    assert '"c"' in said


def test_v7_v8_files_apply_in_order_and_explicit_parameters_last(api: Api) -> None:
    files = {
        "one": "parameters: {a: one, b: one, c: one}",
        "two": "parameters: {b: two, c: two}",
    }
    found = environment_of(
        api, files=files, environment_files=["one", "two"], parameters={"c": "explicit"}
    )
    assert found["parameters"] == {"a": "one", "b": "two", "c": "explicit"}


def test_v19_of_an_inline_environment_only_what_the_files_do_not_say_counts(api: Api) -> None:
    """The client repeats its merge of the files; what it adds comes after them."""
    hooks = {"resources": {"x": {"hooks": "pre-create"}}}
    found = environment_of(
        api,
        files={"one": "parameters: {a: one}"},
        environment_files=["one"],
        environment={"parameters": {"a": "one", "b": "inline"}, "resource_registry": hooks},
    )
    assert found["parameters"] == {"a": "one", "b": "inline"}
    assert found["resource_registry"] == hooks


def test_without_files_all_of_the_inline_environment_counts(api: Api) -> None:
    found = environment_of(api, environment="parameters: {a: inline}")
    assert found["parameters"] == {"a": "inline"}


def cfn(address: str, **more: Any) -> dict[str, Any]:
    """A template with a stack from the template at an address."""
    properties = {"TemplateURL": address, **more}
    return {
        "HeatTemplateFormatVersion": "2012-12-12",
        "Parameters": {"where": {"Type": "String", "Default": address}},
        "Resources": {"inner": {"Type": "AWS::CloudFormation::Stack", "Properties": properties}},
    }


def test_templates_that_a_template_names_by_address_are_fetched(fetching: Api, server: str) -> None:
    address = f"{server}/t"
    by_parameter = cfn(address)
    by_parameter["Resources"]["inner"]["Properties"]["TemplateURL"] = {"Ref": "where"}
    inside = {
        "heat_template_version": "wallaby",
        "resources": {"deep": {"type": "cfn.yaml"}},
    }
    for template, files in (
        (cfn(address), {}),
        (by_parameter, {}),
        (inside, {"cfn.yaml": json.dumps(cfn(address))}),
    ):
        answer = fetching.post("/validate", json={"template": template, "files": files})
        assert answer.status_code == 200, answer.text
    assert "the server answers 404" in refusal(fetching, template=cfn(f"{server}/none"))


def test_a_template_among_the_files_is_not_fetched(api: Api) -> None:
    address = "http://127.0.0.1:1/t"
    assert "it is not a public address" in refusal(api, template=cfn(address))
    body = {"template": cfn(address), "files": {address: TEXT}}
    assert api.post("/validate", json=body).status_code == 200
    assert 'the template "ftp://x/t" was not given' in refusal(api, template=cfn("ftp://x/t"))
