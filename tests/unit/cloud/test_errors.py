"""Every service's way to say no becomes one family of errors."""

import json
from typing import Any

import pytest

from hotplate.cloud.errors import (
    BadRequest,
    CloudError,
    Conflict,
    Forbidden,
    NotFound,
    OverQuota,
    ServiceFailed,
    Unavailable,
    Unsupported,
    refusal,
    words_of,
)


@pytest.mark.parametrize(
    ("body", "words", "fault"),
    [
        ({"badRequest": {"code": 400, "message": "Bad flavor"}}, "Bad flavor", ""),
        (
            {"explanation": "Not complied", "error": {"message": "No r", "type": "Invalid"}},
            *("No r", "Invalid"),
        ),
        (
            {"NeutronError": {"type": "SubnetInUse", "message": "In use.", "detail": ""}},
            *("In use.", "SubnetInUse"),
        ),
        ({"NeutronError": "plain words"}, "plain words", ""),
        ({"error": {"code": 404, "message": "No user", "title": "Not Found"}}, "No user", ""),
        ({"faultcode": "Client", "faultstring": "Immutable", "debuginfo": None}, "Immutable", ""),
        (
            {
                "code": 400,
                "type": "invalid_object",
                "message": "Provided object is not valid",
                "errors": {"errors": [{"path": ["email"], "message": "is no email"}]},
            },
            "Provided object is not valid; email: is no email",
            "invalid_object",
        ),
        ({"code": 400, "title": "Bad", "description": "No payload"}, "No payload", ""),
        ({"code": "409 C", "message": "Has a task<br /><br />\n\n"}, "Has a task", ""),
        ({"errors": [{"status": 409, "title": "Conflict", "detail": "Busy"}]}, "Busy", ""),
        (
            {"code": 404, "error": {"message": "No stack", "type": "EntityNotFound"}},
            "No stack",
            "EntityNotFound",
        ),
    ],
)
def test_the_words_of_each_service(body: Any, words: str, fault: str) -> None:
    assert words_of(json.dumps(body).encode()) == (words, fault)


def test_the_words_of_a_page() -> None:
    page = (
        b"<html><head><title>404 Not Found</title></head><body><h1>404 Not Found</h1>"
        b"No image found with ID &quot;x&quot;<br /><br />\n\n</body></html>"
    )
    assert words_of(page) == ('404 Not Found No image found with ID "x"', "")
    assert words_of(b"") == ("", "")
    assert words_of(b"{broken")[0] == "{broken"


@pytest.mark.parametrize(
    ("status", "words", "kind", "quota"),
    [
        (400, "x", BadRequest, ""),
        (422, "x", BadRequest, ""),
        (403, "Policy doesn't allow it", Forbidden, ""),
        (404, "x", NotFound, ""),
        (406, "x", Unsupported, ""),
        (409, "x", Conflict, ""),
        (500, "x", ServiceFailed, ""),
        (503, "x", Unavailable, ""),
        (403, "Quota exceeded for cores, ram: Requested 1, 64", OverQuota, "cores, ram"),
        (
            413,
            "Maximum number of volumes allowed (0) exceeded for quota 'volumes'.",
            OverQuota,
            "volumes",
        ),
        (
            413,
            "Requested volume or snapshot exceeds allowed gigabytes quota.",
            OverQuota,
            "gigabytes",
        ),
        (403, "Quota has been met for resources: Load Balancer.", OverQuota, "Load Balancer"),
        (409, "Quota exceeded for resources: ['port', 'network'].", OverQuota, "port, network"),
    ],
)
def test_statuses_and_quotas(status: int, words: str, kind: type[CloudError], quota: str) -> None:
    error = refusal("s", status, {}, json.dumps({"error": {"message": words}}).encode())
    assert type(error) is kind
    if isinstance(error, OverQuota):
        assert error.quota == quota


def test_only_what_the_service_may_have_done_is_in_doubt() -> None:
    assert refusal("s", 500, {}, b"", in_doubt=True).in_doubt
    assert not refusal("s", 409, {}, b"", in_doubt=True).in_doubt


def test_an_answer_without_words_is_still_a_sentence() -> None:
    error = refusal("network", 502, {"x-openstack-request-id": "req-9"}, b"")
    assert str(error) == "network: answered 502 without a word (HTTP 502, request req-9)"
