import asyncio

from hotplate.dispatch.amqp.outbox import Outbox
from hotplate.dispatch.tokens import Token


def test_who_waits_goes_on_when_what_was_added_before_has_arrived() -> None:
    async def story() -> None:
        outbox = Outbox()
        await outbox.flushed()
        outbox.add([Token((1,)), Token((2,))])
        waiting = asyncio.create_task(outbox.flushed())
        await asyncio.sleep(0)
        outbox.add([Token((3,))])
        assert await outbox.batch() == [Token((1,)), Token((2,)), Token((3,))]
        outbox.confirm(1)
        await asyncio.sleep(0)
        assert not waiting.done()
        outbox.confirm(1)
        await waiting
        assert await outbox.batch() == [Token((3,))]

    asyncio.run(story())


def test_nobody_waits_for_a_broker_that_is_away() -> None:
    async def story() -> None:
        outbox = Outbox()
        outbox.add([Token((1,))])
        waiting = asyncio.create_task(outbox.flushed())
        await asyncio.sleep(0)
        assert outbox.give_up() == [Token((1,))]
        await waiting

    asyncio.run(story())
