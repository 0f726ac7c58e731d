from hotplate.dispatch.reminders import LATE, SOON, Reminders
from hotplate.dispatch.tokens import WINDOW


def test_what_has_just_become_ready_is_not_missed() -> None:
    reminders = Reminders()
    reminders.note([1, 2], 0.0)
    assert reminders.missed(SOON / 2, is_empty=True) == []


def test_what_stays_ready_while_the_queue_is_empty_is_sent_again_once_in_a_while() -> None:
    reminders = Reminders()
    reminders.note([1, 2], 0.0)
    reminders.note([2], SOON)
    assert reminders.missed(SOON, is_empty=True) == [2]
    assert reminders.missed(SOON * 1.5, is_empty=True) == []
    assert reminders.missed(SOON * 2, is_empty=True) == [2]


def test_while_messages_wait_it_takes_longer() -> None:
    reminders = Reminders()
    reminders.note([1], 0.0)
    assert reminders.missed(LATE - 1, is_empty=False) == []
    assert reminders.missed(LATE, is_empty=False) == [1]


def test_of_a_large_stack_a_window_and_one_more_are_remembered() -> None:
    reminders = Reminders()
    reminders.note([*range(10_000), 1 << 32], 0.0)
    assert reminders.missed(SOON, is_empty=True) == [*range(WINDOW + 1), 1 << 32]


def test_after_a_new_connection_all_begins_anew() -> None:
    reminders = Reminders()
    reminders.note([1], 0.0)
    reminders.forget()
    assert reminders.missed(LATE, is_empty=True) == []
