"""The two templates that most stories are about, and a way to interrupt a story everywhere."""

from collections.abc import Callable
from itertools import count

from hotplate.testing import Story, plan

BASE = plan("""
    A()
    B()
    C(A, B) = "4alpha"
    D() = ref C
    E() = att C
""")

REPL = plan("""
    A() = "initial"
    B()
    C(B) = ! att A
    D() = ref C
    E() = att C
""")

CHAIN = plan("""
    t1() = "Test1"
    t2(t1) = "Test1"
    t3(t2) = "Test1"
""")

Part = Callable[[Story], None]


def at_every_step(beginning: Part, interruption: Part, ending: Part) -> None:
    """Tell a story again and again, interrupted one step later each time.

    The last time the beginning comes to its end before it is interrupted: that one is not told.
    """
    for number in count():
        with Story(seed=number) as story:
            beginning(story)
            story.steps(number)
            interruption(story)
            if came_too_late(story):
                assert number > 3, "there was nothing to interrupt"
                return
            story.finish()
            ending(story)


def came_too_late(story: Story) -> bool:
    """Whether the last operation began after the one before had come to its end."""
    states = [(state, reason) for name, state, reason in story.events if name == "story"]
    begun = max(at for at, (_, reason) in enumerate(states) if reason.endswith(" started"))
    return begun > 0 and states[begun - 1][0].endswith("_COMPLETE")
