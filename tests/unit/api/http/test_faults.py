"""Refusals as Heat's clients read them."""

import sqlite3

import pytest
from sqlalchemy.exc import IntegrityError, OperationalError

from hotplate.api.http.faults import Fault, bad_request, fault_of
from hotplate.document import InvalidDocument, Position, Problem
from hotplate.engine.refusals import (
    AlreadyExists,
    Entity,
    LimitReached,
    NotFound,
    NotSupported,
    Refused,
)


def test_a_fault_has_the_form_that_clients_read() -> None:
    assert Fault(404, "no such thing", "NotFound").document() == {
        "code": 404,
        "title": "Not Found",
        "explanation": "The resource could not be found.",
        "error": {"type": "NotFound", "message": "no such thing", "traceback": None},
    }


def test_a_fault_without_a_kind_is_called_after_its_status() -> None:
    assert bad_request("x").kind == "HTTPBadRequest"
    assert Fault(405, "x").kind == "HTTPMethodNotAllowed"


@pytest.mark.parametrize(
    ("refusal", "status", "kind"),
    [
        (NotFound(Entity.STACK, "s"), 404, "EntityNotFound"),
        (NotFound(Entity.RESOURCE, "r", "s"), 404, "ResourceNotFound"),
        (NotFound(Entity.SNAPSHOT, "n", "s"), 404, "SnapshotNotFound"),
        (AlreadyExists("s"), 409, "StackExists"),
        (NotSupported("Flying"), 400, "NotSupported"),
        (LimitReached("stacks", 5), 400, "RequestLimitExceeded"),
        (Refused("no"), 400, "Invalid"),
    ],
)
def test_what_the_engine_refuses(refusal: Refused, status: int, kind: str) -> None:
    fault = fault_of(refusal)
    assert fault is not None
    assert (fault.status, fault.kind) == (status, kind)
    assert str(refusal) in fault.message


def test_a_hint_follows_the_message_as_a_sentence() -> None:
    fault = fault_of(NotSupported("Flying", "walk instead"))
    assert fault is not None
    assert fault.message.endswith(" Walk instead.")


def test_problems_of_a_template_are_told_with_their_places() -> None:
    place = Position("template", 3, 5)
    fault = fault_of(InvalidDocument([Problem("wrong", ("resources", "a"), position=place)]))
    assert fault is not None
    assert fault.status == 400
    (problem,) = fault.document()["error"]["problems"]
    assert (problem["file"], problem["line"], problem["column"]) == ("template", 3, 5)


def test_a_database_that_is_away_is_no_fault_of_the_request() -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = 10
    fault = fault_of(OperationalError("", {}, error))
    assert fault is not None
    assert (fault.status, "retry-after" in fault.headers) == (503, True)


def test_what_nobody_foresaw_is_no_fault() -> None:
    assert fault_of(ValueError("x")) is None
    assert fault_of(IntegrityError("", {}, sqlite3.IntegrityError("x"))) is None
    fault = bad_request("x")
    assert fault_of(fault) is fault
