"""Answers that say no: the status, the class and the words that Heat's clients read."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from hotplate.document import InvalidDocument, Problem, format_path, place_data
from hotplate.engine.refusals import (
    ActionInProgress,
    AlreadyExists,
    BadHook,
    Entity,
    ImmutableChanged,
    LimitReached,
    Moved,
    NotFound,
    NotSupported,
    Refused,
    StillUsed,
    TooManyResources,
)
from hotplate.store.database import is_transient
from hotplate.store.sealing import CannotOpen, KeyRefused

EXPLANATIONS: Mapping[int, str] = {
    400: "The server could not comply with the request since it is either malformed or "
    "otherwise incorrect.",
    401: "The request needs a token that is accepted here.",
    403: "Access was denied to this resource.",
    404: "The resource could not be found.",
    405: "The method is not allowed for this resource.",
    409: "There was a conflict when trying to complete your request.",
    412: "A condition that the request states does not hold.",
    413: "The request is larger than this server takes.",
    500: "The server has either erred or is incapable of performing the requested operation.",
    503: "The server is currently unavailable. Please try again at a later time.",
}


_MOST_PROBLEMS = 100
"""Problems that an answer lists; of more it tells how many there are."""


class Fault(Exception):
    """A request is refused. ``kind`` is the class of error that clients see as ``error.type``."""

    def __init__(
        self,
        status: int,
        message: str,
        kind: str = "",
        headers: Mapping[str, str] | None = None,
        problems: tuple[Problem, ...] = (),
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.kind = kind or f"HTTP{HTTPStatus(status).phrase.replace(' ', '')}"
        self.headers = dict(headers or {})
        self.problems = problems

    def mistral_document(self) -> dict[str, Any]:
        """Return the body of the answer as the workflow API writes it."""
        code = "Client" if self.status < HTTPStatus.INTERNAL_SERVER_ERROR else "Server"
        return {"debuginfo": None, "faultcode": code, "faultstring": self.message}

    def document(self) -> dict[str, Any]:
        """Return the body of the answer."""
        error: dict[str, Any] = {"type": self.kind, "message": self.message, "traceback": None}
        if self.problems:
            error["problems"] = [_problem(problem) for problem in self.problems[:_MOST_PROBLEMS]]
        return {
            "code": self.status,
            "title": HTTPStatus(self.status).phrase,
            "explanation": EXPLANATIONS.get(self.status, HTTPStatus(self.status).phrase),
            "error": error,
        }


def forbidden(what: str) -> Fault:
    """Return the refusal of what the policy does not allow to whoever asks."""
    return Fault(403, f"You are not authorized to use {what}.", "Forbidden")


def bad_request(message: str, kind: str = "") -> Fault:
    """Return the refusal of a request that is wrong in itself."""
    return Fault(400, message, kind)


def fault_of(error: Exception) -> Fault | None:
    """Return the answer for what the engine refuses; None for an unexpected error."""
    if isinstance(error, Fault):
        return error
    if is_transient(error):
        return Fault(503, "The database is away. Try again later.", headers={"retry-after": "5"})
    if isinstance(error, CannotOpen | KeyRefused):
        return Fault(500, f"{str(error)[:1].upper()}{str(error)[1:]}.", type(error).__name__)
    if isinstance(error, InvalidDocument):
        from hotplate.api.http.wording import (  # noqa: PLC0415 (only what is refused needs words)
            kind_of_problems,
            words_for,
        )

        lines = [words_for(problem) for problem in error.problems[:_MOST_PROBLEMS]]
        if len(error.problems) > len(lines):
            lines.append(f"... and {len(error.problems) - len(lines)} more problems")
        message = "\n".join(lines)
        return Fault(400, message, kind_of_problems(error.problems), problems=error.problems)
    if not isinstance(error, Refused):
        return None
    status, kind = next(
        (status, kind) for family, status, kind in _REFUSALS if isinstance(error, family)
    )
    if isinstance(error, NotFound):
        kind = _MISSING.get(error.entity, kind)
    text = f"{error} {error.hint[:1].upper()}{error.hint[1:]}." if error.hint else str(error)
    return Fault(status, text, kind)


_REFUSALS: tuple[tuple[type[Refused], int, str], ...] = (
    (NotFound, 404, "EntityNotFound"),
    (AlreadyExists, 409, "StackExists"),
    (ActionInProgress, 409, "ActionInProgress"),
    (Moved, 412, "PreconditionFailed"),
    (NotSupported, 400, "NotSupported"),
    (BadHook, 400, "InvalidBreakPointHook"),
    (StillUsed, 409, "InvalidRestrictedAction"),
    (ImmutableChanged, 400, "ImmutableParameterModified"),
    (LimitReached, 400, "RequestLimitExceeded"),
    (TooManyResources, 400, "RequestLimitExceeded"),
    (Refused, 400, "Invalid"),
)
_MISSING = {Entity.RESOURCE: "ResourceNotFound", Entity.SNAPSHOT: "SnapshotNotFound"}


def _problem(problem: Problem) -> dict[str, Any]:
    return {
        "message": problem.message,
        "hint": problem.hint,
        "cause": problem.cause.value,
        "path": format_path(problem.path),
        **place_data(problem.file, problem.position),
    }
