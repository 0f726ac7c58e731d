"""A resource does something about a signal and remembers it, whatever else goes on with it."""

from hotplate.model import Action
from hotplate.testing import Request, Story, plan
from tests.scenarios.tellers import Teller

TOLD = plan('A:told() = "one"')
CHANGED = plan('A:told() = "two"')


def test_a_signal_at_any_moment_of_an_update_is_remembered(tell: Teller) -> None:
    """Whoever updates the resource may have read it before the signal."""
    for number in tell.steps():
        with tell(seed=number) as story:
            story.create(TOLD)
            story.finish()
            story.update(CHANGED)
            is_late = story.steps(number)
            request = _sent(story, "first")
            story.finish()
            assert request.error is None
            story.verify(CHANGED, "UPDATE_COMPLETE")
            assert story.version("A").told == ("first",), f"at step {number}"
        if is_late:
            assert number > 3, "there was nothing to interrupt"
            return


def test_two_signals_at_once_are_both_remembered(tell: Teller) -> None:
    with tell() as story:
        story.create(TOLD)
        story.finish()
        both = [_sent(story, "first"), _sent(story, "second")]
        story.until(lambda: all(request.is_over for request in both))
        assert sorted(story.version("A").told) == ["first", "second"]


def test_a_signal_during_a_check_changes_nothing_else(tell: Teller) -> None:
    with tell() as story:
        story.create(TOLD)
        story.finish()
        story.visit(Action.CHECK)
        request = _sent(story, "first")
        story.finish()
        assert request.is_over
        story.verify(TOLD, "CHECK_COMPLETE")
        assert story.state("A") == "CHECK_COMPLETE"
        assert story.version("A").told == ("first",)


def test_a_signal_to_what_is_being_deleted_brings_nothing_back(tell: Teller) -> None:
    with tell() as story:
        story.create(TOLD)
        story.finish()
        request = _sent(story, "first")
        story.delete()
        story.finish()
        assert request.is_over
        story.verify_gone()


def _sent(story: Story, text: str) -> Request:
    stack_id = story.stack_id
    return story.simulation.ask(
        f"signal {text}", lambda ops: ops.signal(stack_id, "A", {"id": text})
    )
