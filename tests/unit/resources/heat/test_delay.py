"""OS::Heat::Delay."""

import asyncio
import math
from typing import Any

import pytest

from hotplate.resources import BadProperty, Done, Resource, Wait
from hotplate.resources.heat.delay import ACTIONS, Delay
from tests.unit.resources.acting import StillWorld, resource

KIND = Delay()
ID = "app-it-0f6f8f0e1111"
DONE = Done(ID, reference="it")


def call(it: Resource, action: str) -> Any:
    return asyncio.run(getattr(KIND, action.lower())(it))


def test_without_properties_it_is_done_at_once_and_is_referred_to_by_name() -> None:
    assert [call(resource(KIND), action) for action in ACTIONS] == [DONE] * 4


@pytest.mark.parametrize("action", ACTIONS)
def test_it_waits_in_the_actions_that_are_listed(action: str) -> None:
    it = resource(KIND, {"min_wait": 5, "actions": [action]})
    assert call(it, action) == Wait({"until": 1005.0}, 5.0, ID)
    others = [call(it, other) for other in ACTIONS if other != action]
    assert others == [DONE] * 3


def test_what_is_left_after_a_restart_is_waited_for() -> None:
    world = StillWorld()
    it = resource(KIND, {"min_wait": 5}, world=world)
    it.cookie = call(it, "CREATE").cookie
    world.time += 3
    assert call(it, "CREATE") == Wait({"until": 1005.0}, 2.0)
    world.time += 2
    assert call(it, "CREATE") == DONE


def test_chance_adds_up_to_the_jitter() -> None:
    given = {"min_wait": 10, "max_jitter": 2, "jitter_multiplier": 3}
    world = StillWorld()
    waits = [call(resource(KIND, given, world=world), "CREATE").seconds for _ in range(200)]
    assert 10 <= min(waits) < 10.5
    assert 15.5 < max(waits) <= 16


def test_an_update_takes_no_time() -> None:
    assert asyncio.run(KIND.update(resource(KIND, {"min_wait": 5}))) == Done()
    assert all(declared.updatable for declared in KIND.properties.values())


def test_a_delay_longer_than_the_stack_may_take_is_refused() -> None:
    values = KIND.convert({"min_wait": 3600, "max_jitter": 10, "jitter_multiplier": 10})
    text = "OS::Heat::Delay maximum delay 3700s exceeds stack timeout."
    assert KIND.validate(values, 3600.0) == text
    assert KIND.validate(values, 3700.0) == ""
    assert KIND.validate(values) == ""


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"min_wait": -1}, "-1 is out of range (min: 0, max: None)"),
        ({"max_jitter": -1}, "-1 is out of range (min: 0, max: None)"),
        ({"jitter_multiplier": "x"}, "'x' is not a number"),
        (
            {"actions": ["UPDATE"]},
            '["UPDATE"] is not an allowed value ["CREATE", "DELETE", "SUSPEND", "RESUME"]',
        ),
    ],
)
def test_a_wrong_property_is_refused(given: dict[str, Any], text: str) -> None:
    with pytest.raises(BadProperty) as fault:
        KIND.convert(given)
    assert fault.value.message == text


def test_a_wait_beyond_all_numbers_is_still_a_number() -> None:
    it = resource(KIND, {"max_jitter": 1e308, "jitter_multiplier": 1e308})
    assert "exceeds stack timeout" in KIND.validate(it.properties, 60)
    assert math.isfinite(call(it, "CREATE").seconds)
