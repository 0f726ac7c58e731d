"""What the endpoints declare: every field and every parameter, with every kind of wrong value.

A new field needs no new test.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from hotplate.api.endpoints import ENDPOINTS
from hotplate.api.http.endpoint import Endpoint
from hotplate.api.http.fields import Field, Kind, Query, QueryKind
from tests.api.bad_requests.endpoints import WITH_BODY, body_of, name_of
from tests.api.bad_requests.stage import Stage, refused

VALUES: dict[Kind | None, Any] = {
    Kind.TEXT: "text",
    Kind.MAP: {"a": 1},
    Kind.LIST: ["a"],
    Kind.FLAG: True,
    Kind.COUNT: 7,
    None: 1.5,
}


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
