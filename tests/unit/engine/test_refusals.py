"""Refusals speak the words that existing clients read, and tell what a caller must know."""

import pytest

from hotplate.engine.refusals import (
    Entity,
    LimitReached,
    NotFound,
    NotSupported,
    Refused,
    StillUsed,
)


@pytest.mark.parametrize(
    ("refusal", "text"),
    [
        (NotFound(Entity.STACK, "app"), "The Stack (app) could not be found."),
        (NotFound(Entity.EVENT, "7"), "The Event (7) could not be found."),
        (
            NotFound(Entity.RESOURCE_TYPE, "OS::No"),
            "The Resource Type (OS::No) could not be found.",
        ),
        (
            NotFound(Entity.RESOURCE, "server", "app"),
            "The Resource (server) could not be found in Stack app.",
        ),
        (
            NotFound(Entity.SNAPSHOT, "s1", "app"),
            "The Snapshot (s1) for Stack (app) could not be found.",
        ),
        (NotSupported("Stack Adopt"), "Stack Adopt is not supported."),
        (NotFound(Entity.SOFTWARE_CONFIG, "c"), "Software config with id c not found"),
        (NotFound(Entity.SOFTWARE_DEPLOYMENT, "d"), "Deployment with id d not found"),
        (
            StillUsed("c", 2),
            "Software config with id c can not be deleted as it is referenced.",
        ),
        (
            LimitReached("software configs", 5),
            "Request limit exceeded: the project has reached the maximum of 5 software configs.",
        ),
    ],
)
def test_the_text_is_literal(refusal: Refused, text: str) -> None:
    assert str(refusal) == text


def test_the_way_on_is_not_part_of_the_text() -> None:
    refusal = NotSupported("Updating a stack when it is suspended", "resume it first")
    assert refusal.hint == "resume it first"
    assert "resume" not in str(refusal)
    assert NotFound(Entity.STACK, "app").hint == ""
