"""What an update does to a resource, and what the environment does not let it do."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from hotplate.model import Action, Definition, Status, Version
from hotplate.plan.decide import Decision, Step, decide, restrict
from hotplate.plan.unknown_values import decide_with_unknown
from hotplate.resources.capabilities import RefusesReplacement
from hotplate.resources.property import Property, PropertyKind
from hotplate.testing.cloud_types import FindableThing
from tests.unit.store.rows import a_version

KIND = FindableThing()


def defined(**properties: Any) -> Definition:
    return Definition(KIND.name, KIND.name, dict(properties), {}, "Delete", {}, ())


def existing(action: Action = Action.CREATE, status: Status = Status.COMPLETE) -> Version:
    definition = defined(value="old", fixed="old")
    return a_version(1, type=KIND.name, definition=definition, action=action, status=status)


SAME = defined(value="old", fixed="old")
IN_PLACE = defined(value="new", fixed="old")
ANEW = defined(value="old", fixed="new")


@pytest.mark.parametrize(
    ("wanted", "step"),
    [(SAME, Step.LEAVE), (IN_PLACE, Step.UPDATE), (ANEW, Step.REPLACE)],
)
def test_a_change_is_made_in_place_if_all_its_properties_allow_it(
    wanted: Definition, step: Step
) -> None:
    assert decide(existing(), wanted, KIND).step is step


@pytest.mark.parametrize(
    ("wanted", "step", "other"),
    [(IN_PLACE, Step.UPDATE, Step.REPLACE), (ANEW, Step.REPLACE, Step.UPDATE)],
)
def test_a_restricted_step_is_refused_and_the_other_is_not(
    wanted: Definition, step: Step, other: Step
) -> None:
    refused = decide(existing(), wanted, KIND, {step})
    assert (refused.step, refused.restricted) == (Step.REFUSE, step)
    assert refused.reason == f"{step.value} is restricted for resource."
    assert refused.changes == decide(existing(), wanted, KIND).changes
    assert decide(existing(), wanted, KIND, {other}).step is step


def test_what_needs_nothing_is_not_refused() -> None:
    both = {Step.UPDATE, Step.REPLACE}
    assert decide(existing(), SAME, KIND, both).step is Step.LEAVE
    assert decide(existing(Action.INIT), SAME, KIND, both).step is Step.CREATE
    assert restrict(Decision(Step.CREATE), both) == Decision(Step.CREATE)


class Renamed(FindableThing):
    name = "Test::New"
    former_names = frozenset((FindableThing.name,))


def test_what_has_an_old_name_goes_on_under_the_new_one() -> None:
    wanted = Definition(Renamed.name, Renamed.name, dict(SAME.properties), {}, "Delete", {}, ())
    assert decide(existing(), wanted, Renamed()).step is Step.UPDATE

    class Other(Renamed):
        former_names = frozenset()

    assert decide(existing(), wanted, Other()).step is Step.REPLACE


def test_what_failed_must_not_be_replaced_either() -> None:
    failed = existing(Action.UPDATE, Status.FAILED)
    assert decide(failed, SAME, KIND).step is Step.REPLACE
    assert decide(failed, SAME, KIND, {Step.REPLACE}).restricted is Step.REPLACE


def test_what_is_being_deleted_is_replaced_all_the_same() -> None:
    going = existing(Action.DELETE, Status.IN_PROGRESS)
    assert decide(going, SAME, KIND, {Step.REPLACE}).step is Step.REPLACE


@pytest.mark.parametrize(("old", "new"), [(1, True), (1, 1.0), (0.0, False), ([1], [True])])
def test_a_value_of_another_kind_is_another_value(old: Any, new: Any) -> None:
    version = a_version(1, type=KIND.name, definition=defined(value=old))
    decision = decide(version, defined(value=new), KIND)
    assert decision.step is Step.UPDATE
    assert [change.name for change in decision.changes] == ["value"]
    anew = a_version(1, type=KIND.name, definition=defined(fixed=old))
    assert decide(anew, defined(fixed=new), KIND).step is Step.REPLACE
    metadata = replace(defined(), metadata={"a": new})
    noted = a_version(1, type=KIND.name, definition=replace(metadata, metadata={"a": old}))
    assert decide(noted, metadata, KIND).reason == "the metadata changes"


@pytest.mark.parametrize(("old", "new"), [("1", 1), (1.0, 1), ("7", "07")])
def test_what_the_type_of_a_property_makes_the_same_is_no_change(old: Any, new: Any) -> None:
    class Counted(FindableThing):
        properties = {"count": Property(PropertyKind.INTEGER, updatable=True)}

    definition = Definition(KIND.name, KIND.name, {"count": old}, {}, "Delete", {}, ())
    version = a_version(1, type=KIND.name, definition=definition)
    wanted = replace(definition, properties={"count": new})
    assert decide(version, wanted, Counted()).step is Step.LEAVE


class Overlapping(FindableThing, RefusesReplacement):
    def replacement_refusal(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
        return f"{new['fixed']} overlaps {old['fixed']}" if new["fixed"] == "new" else ""


def test_a_type_may_refuse_a_replacement_before_it_begins() -> None:
    made = replace(existing(), physical_id="x")
    refused = decide(made, ANEW, Overlapping())
    assert (refused.step, refused.reason) == (Step.REFUSE, "new overlaps old")
    other = defined(value="old", fixed="other")
    assert decide(made, other, Overlapping()).step is Step.REPLACE
    assert decide(existing(), ANEW, Overlapping()).step is Step.REPLACE


class WithOlderName(FindableThing):
    properties = {
        "fixed": Property(older=("former",)),
        "former": Property(hidden=True),
        "value": Property(),
    }


def test_a_value_under_an_older_name_that_is_known_later_is_one_of_the_property() -> None:
    wanted = defined(value="old", former="?")
    expected = decide_with_unknown(existing(), wanted, WithOlderName(), {"former"}).decision
    assert [(each.name, each.old) for each in expected.changes] == [("fixed", "old")]
    assert expected.reason == "fixed may change, which cannot be made in place"
