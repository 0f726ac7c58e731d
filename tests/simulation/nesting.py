"""Random stacks inside random templates: groups and templates of their own, two levels deep."""

from dataclasses import replace
from random import Random

from hotplate.testing import Plan, Thing
from tests.simulation.templates import changed, random_plan

DEEPEST = 2
MOST_OUTSIDE = 4
MOST_INSIDE = 2
COUNTS = (0, 1, 1, 2, 2, 3)
REMOVED = ((), (), ("0",), ("1",), ("0", "2"))


def nest(random: Random, plan: Plan) -> Plan:
    """The beginning of a plan, with stacks in place of some of its things, at least of one."""
    things = dict(list(plan.things.items())[:MOST_OUTSIDE])
    for name, thing in things.items():
        if random.random() < 0.4:
            things[name] = _filled(random, thing, DEEPEST)
    if not any(thing.is_stack for thing in things.values()):
        name = random.choice(list(things))
        things[name] = _filled(random, things[name], DEEPEST)
    return Plan(things)


def nest_again(random: Random, old: Plan, new: Plan, levels: int = DEEPEST) -> Plan:
    """The new plan, in which what was a stack mostly still is one, and not the same as before."""
    things = dict(new.things)
    for name, thing in things.items():
        before = old.things.get(name)
        if before is not None and before.is_stack and not thing.is_stack and random.random() < 0.8:
            things[name] = replace(thing, count=before.count, inside=before.inside)
        elif not thing.is_stack and levels and random.random() < 0.1:
            things[name] = _filled(random, thing, levels)
        if things[name].is_stack and random.random() < 0.6:
            things[name] = _other(random, things[name], levels)
    return Plan(things)


def pace(random: Random, plan: Plan) -> Plan:
    """The plan, in which groups go in batches, and lose members that an update names."""
    things = {}
    for name, thing in plan.things.items():
        paced = thing
        if thing.inside is not None:
            paced = replace(paced, inside=pace(random, thing.inside))
        if thing.count is not None:
            paced = replace(
                paced, batch=random.choice((0, 1, 1, 2)), removed=random.choice(REMOVED)
            )
        things[name] = paced
    return Plan(things)


def _filled(random: Random, thing: Thing, levels: int) -> Thing:
    """The thing as a group, as a stack made from a template, or as a group of such."""
    shape = random.random()
    count = random.choice(COUNTS) if shape < 0.6 or levels < 1 else None
    below = levels - 1 if count is None else levels - 2
    if count is not None and (shape < 0.4 or below < 0):
        return replace(thing, count=count, inside=None)
    return replace(thing, count=count, inside=_inside(random, below))


def _inside(random: Random, levels: int) -> Plan:
    drawn = list(random_plan(random).things.values())[: random.choice((1, 1, MOST_INSIDE))]
    things = {}
    for thing in drawn:
        # Half of what has a value of its own gets that of the resource instead.
        given = bool(thing.literal) and random.random() < 0.5
        made = replace(thing, how="param", literal=None) if given else thing
        deeper = levels > 0 and random.random() < 0.4
        things[thing.name] = _filled(random, made, levels) if deeper else made
    return Plan(things)


def _other(random: Random, thing: Thing, levels: int) -> Thing:
    """The thing with another number of members, something else inside, or no stack any more."""
    what = random.random()
    if what < 0.08:
        return replace(thing, count=None, inside=None)
    if what < 0.16:
        return _filled(random, thing, levels)
    if thing.count is not None and (thing.inside is None or what < 0.6):
        return replace(thing, count=random.choice(COUNTS))
    inside = thing.inside or Plan()
    below = levels - 1 if thing.count is None else levels - 2
    cut = dict(list(changed(random, inside).things.items())[:MOST_INSIDE])
    return replace(thing, inside=nest_again(random, inside, Plan(cut), max(below, 0)))
