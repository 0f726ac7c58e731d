"""A broker that gives the messages of a crashed process to another one."""

from tests.simulation.instant import InstantRun
from tests.simulation.runs import Run

SEEDS = range(25)


def test_whoever_gets_the_message_of_a_crashed_worker_goes_on_without_doing_anything_twice() -> (
    None
):
    redelivered = 0
    for seed in SEEDS:
        story = Run(seed, stormy=True, nested=bool(seed % 2))
        story.simulation.broker.redelivers = True
        story.go()
        redelivered += story.simulation.broker.redelivered
    assert redelivered


def test_so_does_whoever_gets_the_message_of_one_that_had_gone_ahead() -> None:
    for seed in SEEDS:
        story = InstantRun(seed, stormy=True)
        story.simulation.broker.redelivers = True
        story.go()
