"""A call is under its lease from its beginning to its end, and tried again within bounds."""

import asyncio
import sys
from random import Random
from subprocess import run

import pytest

from hotplate.cloud import calling
from hotplate.cloud.calling import Attempts, Clock, under_lease
from hotplate.engine.worker.lease import LONGEST_CALL
from hotplate.resources.lease import LeaseLost, under
from tests.unit.cloud.scripted import ShortLease, Time


def test_whoever_loses_the_lease_awaits_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calling, "_READ_AGAIN", 0)
    lease = ShortLease(3)

    async def play() -> None:
        with under(lease), pytest.raises(LeaseLost):
            await under_lease(asyncio.Event().wait, 60)

    asyncio.run(play())
    assert lease.reads == -1


def test_the_lease_is_read_again_before_it_may_end() -> None:
    assert calling._READ_AGAIN < LONGEST_CALL


def test_an_answer_is_not_awaited_for_ever() -> None:
    async def play() -> None:
        with pytest.raises(TimeoutError):
            await under_lease(asyncio.Event().wait, 0)

    asyncio.run(play())


def test_what_a_call_raises_passes() -> None:
    async def fail() -> None:
        raise LookupError("x")

    async def play() -> None:
        with under(ShortLease(9)), pytest.raises(LookupError):
            await under_lease(fail, 60)

    asyncio.run(play())


def test_pauses_grow_and_end() -> None:
    time = Time()
    attempts = Attempts(Clock(time.now, time.sleep, Random(1)))
    pauses = [attempts.pause({}) for _ in range(5)]
    assert [round(each or 0) for each in pauses[1:4]] == [1, 2, 4]
    assert pauses[4] is None


def test_the_service_says_when_to_come_again() -> None:
    time = Time()
    clock = Clock(time.now, time.sleep, Random(1))
    assert Attempts(clock).pause({"retry-after": "12"}) == 12
    assert Attempts(clock).pause({"retry-after": "-1"}) == 0
    assert Attempts(clock).pause({"retry-after": "120"}) is None
    assert Attempts(clock).pause({"retry-after": "soon"}) == pytest.approx(0.5, rel=0.3)


def test_calling_a_cloud_loads_nothing_of_openstack() -> None:
    heavy = "{'openstack', 'keystoneauth1', 'requests', 'httpx'}"
    program = f"import sys, hotplate.cloud; sys.exit(len({heavy} & set(sys.modules)))"
    assert run([sys.executable, "-c", program], check=False).returncode == 0


def test_the_command_loads_nothing_of_clouds() -> None:
    program = "import sys, hotplate.cli; sys.exit('hotplate.cloud' in sys.modules)"
    assert run([sys.executable, "-c", program], check=False).returncode == 0
