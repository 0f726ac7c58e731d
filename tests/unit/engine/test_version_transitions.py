"""A version goes from state to state by transitions that have a name, and by no others."""

import ast
from collections.abc import Callable
from dataclasses import replace

import pytest

from hotplate.engine import version_transitions as transitions
from hotplate.engine.version_transitions import ImpossibleTransition
from hotplate.model import Action, ReasonCode, Relation, Status, Version
from tests.architecture import MODULES, module_name, within

VERSION = Version(
    id=1, uuid="u", stack_id="s", root_id="s", name="a", type="OS::Heat::Value",
    action=Action.INIT, status=Status.COMPLETE, owner=1, recipe="r", created_at=0.0,
)  # fmt: skip
DELETED = replace(VERSION, action=Action.DELETE)

_TO_CREATED: dict[str, Callable[[Version], None]] = {
    "begin": lambda version: transitions.begin(version, Action.CREATE, "", 1.0),
    "complete": lambda v: transitions.complete(v, Action.CREATE, "", ReasonCode.NONE, 1.0),
    "fail": lambda version: transitions.fail(version, Action.CREATE, "", ReasonCode.NONE, 1.0),
    "observe": lambda version: transitions.observe(version, Action.CREATE, Status.FAILED, ""),
}


def test_what_begins_is_open_until_it_is_known_how_it_ended() -> None:
    version = replace(VERSION, cookie={"left": "over"}, reason_code=ReasonCode.ABORTED)
    transitions.begin(version, Action.CREATE, "state changed", 5.0)
    assert (version.action, version.status) == (Action.CREATE, Status.IN_PROGRESS)
    assert (version.intent, version.intent_at, version.cookie) == (Action.CREATE, 5.0, None)
    assert version.reason_code is ReasonCode.NONE
    transitions.fail(version, Action.CREATE, "no", ReasonCode.NONE, 6.0)
    assert (version.status, version.intent) == (Status.FAILED, Action.CREATE)
    transitions.close(version)
    assert version.intent is None


def test_what_completes_is_open_no_more() -> None:
    version = replace(VERSION, cookie={"node": 1}, intent=Action.CHECK)
    transitions.complete(version, Action.CHECK, "not checked", ReasonCode.NOT_CHECKED, 7.0)
    assert (version.status, version.intent, version.cookie) == (Status.COMPLETE, None, None)
    assert (version.reason_code, version.updated_at) == (ReasonCode.NOT_CHECKED, 7.0)


def test_what_is_aborted_may_have_made_something() -> None:
    version = replace(VERSION, action=Action.CREATE, intent=Action.CREATE, cookie={})
    transitions.abort(version)
    assert (version.status, version.intent) == (Status.FAILED, Action.CREATE)
    assert (version.reason_code, version.cookie) == (ReasonCode.ABORTED, None)


def test_a_creation_that_made_nothing_is_undone() -> None:
    version = replace(VERSION, action=Action.CREATE, status=Status.FAILED, intent=Action.CREATE)
    transitions.undo_creation(version)
    assert (version.action, version.status, version.intent) == (Action.INIT, Status.COMPLETE, None)


def test_an_object_that_is_not_managed_after_all_stays_external() -> None:
    version = replace(VERSION, relation=Relation.RETURNING, physical_id="p", fingerprint="f")
    transitions.stay_external(version)
    assert (version.relation, version.definition.external_id) == (Relation.LENT, "p")
    assert version.fingerprint == ""


@pytest.mark.parametrize("transition", _TO_CREATED.values(), ids=_TO_CREATED)
def test_nothing_begins_on_what_was_deleted(transition: Callable[[Version], None]) -> None:
    version = replace(DELETED)
    with pytest.raises(ImpossibleTransition, match="is DELETE_COMPLETE: CREATE cannot begin"):
        transition(version)
    assert version == DELETED


@pytest.mark.parametrize("action", [Action.INIT, Action.SIGNAL])
def test_no_version_is_in_the_middle_of_what_is_no_action_on_it(action: Action) -> None:
    with pytest.raises(ImpossibleTransition, match="is no action on a version"):
        transitions.begin(replace(VERSION), action, "", 1.0)


def test_the_engine_changes_no_status_but_by_a_transition() -> None:
    """Rows of the store and facts of plans are made elsewhere; here it is about what is there."""
    assigned = [
        f"{module_name(path)}:{node.lineno}"
        for path in MODULES
        if within(module_name(path), "engine") and module_name(path) != "engine.version_transitions"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and node.attr in ("status", "intent")
    ]
    assert not assigned, assigned
