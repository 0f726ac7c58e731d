"""In the event loop, too, who has used it least goes first."""

import asyncio
import socket
import time
from contextvars import copy_context

from hotplate.server.fair_loop import FairLoop, Ready
from hotplate.store.fairness.fair_queue import HEALTH, at_work_for, on_behalf_of
from hotplate.store.fairness.precedence import LONGEST, PAUSE, SOME, Precedence


class Steps:
    """Steps of projects, whose time is told."""

    def __init__(self) -> None:
        self.now = 100.0
        self.ready = Ready(lambda: self.now)
        self.order: list[str] = []
        self._loop = asyncio.new_event_loop()

    def add(self, project: str, name: str, seconds: float = 0.0) -> None:
        def step() -> None:
            self.order.append(name)
            self.now += seconds

        with on_behalf_of(project):
            context = copy_context()
        self.ready.append(asyncio.Handle(step, (), self._loop, context))

    def turn(self) -> int:
        """Do what a loop does in one turn; return how many steps it took."""
        number = len(self.ready)
        for _ in range(number):
            self.ready.popleft()._run()
        return number

    def all(self) -> list[str]:
        while self.ready:
            self.turn()
        self._loop.close()
        return self.order


def test_the_steps_of_one_project_run_in_their_order() -> None:
    steps = Steps()
    for each in range(10):
        steps.add("a", f"a{each}")
    assert steps.turn() == 10
    assert steps.all() == [f"a{each}" for each in range(10)]


def test_a_step_of_another_project_waits_for_few() -> None:
    steps = Steps()
    for each in range(100):
        steps.add("much", f"m{each}", 0.01)
    steps.add("little", "l0", 0.001)
    assert steps.turn() == 4
    steps.add("little", "l1", 0.001)
    order = steps.all()
    assert order[:2] == ["m0", "l0"]
    assert order.index("l1") < 6
    assert len(order) == 102


def test_what_is_done_for_nobody_has_every_other_step() -> None:
    steps = Steps()
    for each in range(3):
        steps.add("a", f"a{each}", 0.01)
        steps.add("", f"n{each}", 0.01)
    assert steps.all() == ["a0", "n0", "a1", "n1", "a2", "n2"]


def test_health_checks_go_before_all_others() -> None:
    steps = Steps()
    for each in range(3):
        steps.add("", f"n{each}", 0.01)
    steps.add("a", "a0", 0.01)
    steps.add(HEALTH, "health")
    assert steps.all()[0] == "health"


def test_who_was_away_does_not_go_before_all_that_others_use_a_little() -> None:
    steps = Steps()
    for each in range(20):
        steps.add("steady", f"s{each}", 0.005)
        steps.turn()
    for each in range(20):
        steps.add("burst", f"b{each}", 0.005)
        steps.add("steady", f"t{each}", 0.001)
    order = steps.all()[20:]
    assert order.index("t0") <= 2
    assert order.index("t9") < order.index("b4")


def test_who_comes_seldom_goes_before_who_has_used_much() -> None:
    steps = Steps()
    for each in range(200):
        steps.add("much", f"m{each}", 0.01)
        steps.turn()
    for each in range(10):
        steps.add("much", f"n{each}", 0.01)
        steps.add("seldom", f"s{each}", 0.01)
    assert steps.all()[200:210] == [f"s{each}" for each in range(10)]


def test_a_socket_that_is_ready_waits_once() -> None:
    steps = Steps()
    steps.add("a", "read")
    (handle,) = steps.ready._arrived
    for _ in range(3):
        steps.ready.append(handle)
    assert steps.all() == ["read"]
    steps.ready.append(handle)
    assert steps.turn() == 1


def test_what_is_forgotten_does_not_run() -> None:
    steps = Steps()
    steps.add("a", "a0")
    steps.turn()
    steps.add("a", "a1")
    steps.ready.clear()
    assert steps.all() == ["a0"]


def heeding() -> tuple[Steps, Precedence]:
    """Return a loop that somebody has used much of, and who says so."""
    steps, precedence = Steps(), Precedence()
    steps.ready.heed(precedence)
    precedence.add("much", 10 * SOME)
    return steps, precedence


def test_steps_of_who_has_computed_much_wait_while_others_are_worked_for() -> None:
    steps, precedence = heeding()
    precedence.ask("little")
    precedence.begin("little")
    steps.add("much", "m0")
    assert not steps.ready
    assert steps.ready.is_holding
    assert len(steps.ready) == 0
    steps.add("", "nobody")
    steps.add("little", "l0")
    assert steps.turn() == 2
    assert sorted(steps.order) == ["l0", "nobody"]
    precedence.end("little", 0.001)
    time.sleep(2 * LONGEST)
    assert steps.ready
    assert steps.all()[2:] == ["m0"]
    assert not steps.ready.is_holding


def test_they_wait_for_a_bounded_time() -> None:
    steps, precedence = heeding()
    precedence.ask("little")
    precedence.begin("little")  # and nothing comes of it
    steps.add("much", "m0")
    assert not steps.ready
    begun = time.monotonic()
    while not steps.ready and time.monotonic() < begun + 5:
        time.sleep(PAUSE)
    assert steps.all() == ["m0"]
    assert time.monotonic() - begun >= LONGEST - 2 * PAUSE


def test_what_is_held_back_neither_blocks_the_loop_nor_keeps_it_busy() -> None:
    async def play() -> tuple[bytes, float]:
        loop, precedence = asyncio.get_running_loop(), Precedence()
        assert isinstance(loop, FairLoop)
        ours, theirs = socket.socketpair()
        with on_behalf_of("much"):
            reader, writer = await asyncio.open_unix_connection(sock=ours)
        loop.heed(precedence)
        precedence.add("much", 1000 * SOME)
        precedence.ask("little")
        precedence.begin("little")
        theirs.send(b"ready all the time")
        used = time.thread_time()
        await asyncio.sleep(0.1)
        used = time.thread_time() - used
        precedence.end("little", 0.1)
        found = await reader.read(100)
        writer.close()
        theirs.close()
        await writer.wait_closed()
        return found, used

    with asyncio.Runner(loop_factory=FairLoop) as runner:
        found, used = runner.run(play())
    assert found == b"ready all the time"
    assert used < 0.05


def test_a_loop_runs_timers_threads_and_sockets() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readline())
        writer.close()
        await writer.wait_closed()

    async def play() -> list[str]:
        with at_work_for(["a"]):
            found = [await asyncio.to_thread(lambda: "thread")]
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            writer.write(b"socket\n")
            found.append((await reader.readline()).decode().strip())
            writer.close()
            await writer.wait_closed()
        begun = time.monotonic()
        await asyncio.sleep(0.01)
        assert time.monotonic() - begun >= 0.009
        return found

    with asyncio.Runner(loop_factory=FairLoop) as runner:
        assert runner.run(play()) == ["thread", "socket"]


def test_the_loop_of_this_python_asks_the_lines() -> None:
    order: list[str] = []

    async def play() -> None:
        loop, end = asyncio.get_running_loop(), asyncio.Event()
        with on_behalf_of("much"):
            for _ in range(50):
                loop.call_soon(order.append, "much")
            loop.call_soon(end.set)
        with on_behalf_of("little"):
            loop.call_soon(order.append, "little")
        await end.wait()

    with asyncio.Runner(loop_factory=FairLoop) as runner:
        runner.run(play())
    assert order.index("little") < 5
    assert order.count("much") == 50
