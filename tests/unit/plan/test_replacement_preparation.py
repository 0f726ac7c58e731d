"""Which old objects give something up for their replacements, and what comes of them."""

from dataclasses import replace
from typing import Any

import pytest

from hotplate.model import Action, Definition, Relation, Status, Task, Version
from hotplate.plan.decide import Decision, Step, decide
from hotplate.plan.prepare import add_preparations, prepare
from hotplate.plan.replacement_preparation import (
    prepared_relation,
    preparing_type,
    with_preparation,
)
from hotplate.resources.catalogue import Catalogue
from hotplate.testing.cloud_types import FindableThing
from hotplate.testing.keyed_types import AttachedThing
from tests.unit.store.rows import a_version

KIND = AttachedThing()
CATALOGUE = Catalogue((KIND, FindableThing()))


def defined(policy: str = "Delete", kind: str = KIND.name, **properties: Any) -> Definition:
    return Definition(kind, kind, dict(properties), {}, policy, {}, ())


def existing(number: int = 1, **facts: Any) -> Version:
    known = {
        "type": KIND.name,
        "definition": defined(value="old", fixed="old"),
        "action": Action.CREATE,
        "status": Status.COMPLETE,
        "physical_id": f"object-{number}",
    }
    return a_version(number, **{**known, **facts})


SAME = defined(value="old", fixed="old")
IN_PLACE = defined(value="new", fixed="old")
ANEW = defined(value="old", fixed="new")
NO_KEY = defined(value="old", fixed="z")


@pytest.mark.parametrize(
    "facts",
    [
        {"relation": Relation.EXTERNAL},
        {"definition": defined("Retain", value="old")},
        {"definition": defined(kind="Test::Findable")},
        {"definition": defined(kind="Test::Unknown")},
        {"physical_id": None},
        {"action": Action.INIT},
        {"action": Action.DELETE},
    ],
)
def test_nothing_is_asked_of_what_is_not_ours_to_change(facts: dict[str, Any]) -> None:
    assert preparing_type(existing(), CATALOGUE) is KIND
    assert preparing_type(existing(**facts), CATALOGUE) is None


def test_an_object_that_may_exist_may_have_something_to_give_up() -> None:
    in_doubt = existing(physical_id=None, intent=Action.CREATE, status=Status.FAILED)
    assert preparing_type(in_doubt, CATALOGUE) is KIND
    restored = existing(physical_id=None, relation=Relation.RESTORING, status=Status.FAILED)
    assert preparing_type(restored, CATALOGUE) is KIND


def test_a_decision_says_what_is_given_up() -> None:
    replaced = Decision(Step.REPLACE, "why")
    note = "the old object gives up its key before the new one is made"
    assert with_preparation(replaced, existing(), ANEW, CATALOGUE).reason == f"why; {note}"
    assert with_preparation(Decision(Step.REPLACE), existing(), ANEW, CATALOGUE).reason == note
    assert with_preparation(replaced, existing(), NO_KEY, CATALOGUE) == replaced
    of_another_type = defined(kind="Test::Findable")
    assert with_preparation(replaced, existing(), of_another_type, CATALOGUE).reason.endswith(note)
    updated = Decision(Step.UPDATE, "why")
    assert with_preparation(updated, existing(), ANEW, CATALOGUE) == updated


@pytest.mark.parametrize(
    ("facts", "relation"),
    [
        ({}, Relation.PREPARED),
        ({"relation": Relation.KEPT, "status": Status.FAILED}, Relation.PREPARED),
        ({"relation": Relation.PREPARED, "status": Status.FAILED}, Relation.PREPARED),
        ({"relation": Relation.RESTORING, "status": Status.FAILED}, Relation.SPENT),
        ({"relation": Relation.SPENT}, Relation.SPENT),
        ({"status": Status.FAILED}, Relation.SPENT),
        ({"status": Status.IN_PROGRESS, "intent": Action.CREATE}, Relation.SPENT),
        ({"action": Action.CHECK, "status": Status.FAILED}, Relation.SPENT),
        ({"action": Action.DELETE, "status": Status.FAILED}, Relation.SPENT),
    ],
)
def test_what_has_failed_does_not_come_back(facts: dict[str, Any], relation: Relation) -> None:
    assert prepared_relation(existing(**facts), KIND) is relation


@pytest.mark.parametrize("relation", [Relation.PREPARED, Relation.RESTORING])
def test_what_was_prepared_is_restored_and_never_left_as_it_is(relation: Relation) -> None:
    version = existing(relation=relation)
    for wanted in (SAME, IN_PLACE):
        decision = decide(version, wanted, KIND)
        assert (decision.step, decision.restores) == (Step.UPDATE, True)
    assert decide(version, ANEW, KIND).step is Step.REPLACE


def test_a_failed_preparation_does_not_make_an_object_unfit() -> None:
    version = existing(relation=Relation.PREPARED, action=Action.UPDATE, status=Status.FAILED)
    assert decide(version, SAME, KIND).restores
    assert decide(replace(version, relation=Relation.RESTORING), SAME, KIND).step is Step.REPLACE
    marked = replace(version, action=Action.CHECK)
    assert decide(marked, SAME, KIND).step is Step.REPLACE
    assert decide(existing(relation=Relation.SPENT), SAME, KIND).step is Step.REPLACE


def test_restoring_is_refused_only_where_something_else_changes() -> None:
    version = existing(relation=Relation.PREPARED)
    assert decide(version, SAME, KIND, {Step.UPDATE}).restores
    assert decide(version, IN_PLACE, KIND, {Step.UPDATE}).step is Step.REFUSE


def test_other_versions_give_way_before_the_chosen_one_is_changed() -> None:
    chosen = existing(1, name="c", recipe="old", relation=Relation.PREPARED, replaced_by=2)
    other = existing(2, name="c", recipe="new", replaces=1)
    requires: dict[str, tuple[str, ...]] = {"c": ()}
    plan = prepare([chosen, other], requires, "new", "old", {}, lambda name, version: True)
    assert not plan.settled
    asked = []

    def gives_way(version: Version) -> bool:
        asked.append(version.id)
        return True

    add_preparations(plan, [chosen, other], requires, {2: 7}, gives_way)
    assert asked == [2]
    prepared = next(node for node in plan.nodes if node.task is Task.PREPARE)
    update = next(node for node in plan.nodes if node.task is Task.UPDATE)
    assert (prepared.version_id, update.version_id) == (2, 1)
    assert prepared.successors == [update.position]
    assert prepared.need == 1, "it waits for the work that is under way"
