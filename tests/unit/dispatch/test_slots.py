from hotplate.dispatch.slots import Slots


def taken_by(slots: Slots, stack: int, project: str = "p") -> int:
    """Let a stack take what it gets."""
    count = 0
    while slots.may_begin(stack, project):
        slots.begin(stack, project)
        count += 1
    return count


def test_one_stack_alone_leaves_a_quarter_of_the_slots() -> None:
    assert taken_by(Slots(64), 1) == 48


def test_another_stack_finds_slots_beside_one_that_has_taken_all_it_gets() -> None:
    slots = Slots(64)
    taken_by(slots, 1)
    assert taken_by(slots, 2) == 8
    assert not slots.may_begin(1, "p")


def test_another_project_finds_slots_beside_one_whose_stacks_have_taken_all_they_get() -> None:
    slots = Slots(64)
    assert sum(taken_by(slots, stack) for stack in range(100)) == 56
    assert not slots.is_open_to("p")
    assert taken_by(slots, 200, "q") == 8
    assert slots.is_full
    assert not slots.may_begin(300, "r")


def test_a_slot_that_is_given_back_may_be_taken_again() -> None:
    slots = Slots(64)
    count = taken_by(slots, 1)
    slots.end(1, "p")
    assert taken_by(slots, 1) == 1
    for _ in range(count):
        slots.end(1, "p")
    assert taken_by(slots, 2) == 48


def test_few_slots_are_enough_for_any_stack() -> None:
    slots = Slots(1)
    assert taken_by(slots, 1) == 1
    assert slots.is_full
