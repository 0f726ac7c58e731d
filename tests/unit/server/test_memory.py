"""A server gives back the memory that large requests took."""

import gc
import subprocess
import sys

from hotplate.server.memory import MEGABYTE, Memory

PROGRAM = """
from hotplate.server.memory import Memory, bound_allocator, resident_bytes
bound_allocator()
memory = Memory()
before = resident_bytes()
# Blocks too small for pages of their own; what stays between them keeps the heap from shrinking.
blocks, between = [], []
for number in range(1500):
    blocks.append(b"x" * 100_000)
    between.append(b"x" * (2000 + number))
full = resident_bytes()
del blocks
assert memory.check()
print(full - before, resident_bytes() - before)
"""


class Loop:
    """An object that refers to itself, as an error does to the frames that it came through."""

    def __init__(self) -> None:
        self.itself = self


def test_what_is_free_goes_back_to_the_system() -> None:
    answer = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    full, left = map(int, answer.stdout.split())
    assert full > 100 * MEGABYTE
    assert left < 30 * MEGABYTE


def test_a_process_that_has_not_grown_is_left_alone() -> None:
    sizes = iter([100 * MEGABYTE, 110 * MEGABYTE])
    assert not Memory(lambda: next(sizes), lambda: 0.0).check()


def test_objects_that_refer_to_each_other_are_let_go() -> None:
    sizes = iter([100 * MEGABYTE, 200 * MEGABYTE, 120 * MEGABYTE])
    memory = Memory(lambda: next(sizes), lambda: 0.0)
    gc.collect()
    gc.disable()
    try:
        Loop()
        assert memory.check()
        assert not any(isinstance(each, Loop) for each in gc.get_objects())
    finally:
        gc.enable()


def test_what_gives_nothing_back_is_tried_less_and_less_often() -> None:
    now, size = 0.0, 100 * MEGABYTE
    memory = Memory(lambda: size, lambda: now, used=lambda: 0.0)
    size = 200 * MEGABYTE
    tries = []
    for second in range(200):
        now = float(second)
        if memory.check():
            tries.append(second)
    assert tries == [0, 10, 30, 70, 150]


def test_a_process_that_has_come_to_rest_is_tried_at_once() -> None:
    """What is kept only to save time is let go then, and not while there is work.

    It is tried soon after that once more: some is let go only if nobody has asked for it since.
    """
    now, used, size = 0.0, 0.0, 100 * MEGABYTE
    let_go: list[float] = []
    memory = Memory(lambda: size, lambda: now, lambda: let_go.append(now), lambda: used)
    size = 200 * MEGABYTE
    tries = []
    for second in range(1, 60):
        now = float(second)
        used += 0.9 if second <= 40 else 0.01
        if memory.check():
            tries.append(second)
    assert tries == [1, 11, 31, 41, 46, 56]
    assert let_go == [41.0, 46.0, 56.0]
