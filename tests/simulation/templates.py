"""Random templates, and random changes of them."""

from dataclasses import replace
from random import Random

from hotplate.testing import Plan, Thing

NAMES = "ABCDEFGH"
MOST = 6


def random_plan(random: Random) -> Plan:
    """A template of up to six resources; each refers only to earlier ones in a random order."""
    names = random.sample(NAMES, random.randint(1, MOST))
    things: dict[str, Thing] = {}
    for name in names:
        things[name] = _thing(random, name, list(things))
    return Plan(things)


def _thing(random: Random, name: str, earlier: list[str]) -> Thing:
    needs = tuple(sorted(other for other in earlier if random.random() < 0.3))
    kind = random.choices(("findable", "repeatable", "untraceable"), (6, 3, 1))[0]
    thing = Thing(name, needs, fixed=random.random() < 0.4, kind=kind)
    how = random.random()
    if earlier and how < 0.3:
        return replace(thing, how="ref", other=random.choice(earlier))
    if earlier and how < 0.55:
        return replace(thing, how="att", other=random.choice(earlier))
    return replace(thing, literal=random.choice("xyz"))


def changed(random: Random, plan: Plan) -> Plan:
    """The template with one to three random changes. Never a loop: the order is kept or redrawn."""
    for _ in range(random.randint(1, 3)):
        plan = _change(random, plan)
    return plan


def _change(random: Random, plan: Plan) -> Plan:
    things = dict(plan.things)
    what = random.random()
    if what < 0.35 and things:
        name = random.choice(list(things))
        things[name] = replace(things[name], literal=random.choice("xyz"), how="", other="")
    elif what < 0.5 and len(things) < MOST:
        name = random.choice([n for n in NAMES if n not in things])
        things[name] = _thing(random, name, list(things))
    elif what < 0.6 and things:
        del things[random.choice(list(things))]
        things = _mended(random, things)
    elif what < 0.75 and things:
        name = random.choice(list(things))
        earlier = list(things)[: list(things).index(name)]
        things[name] = replace(_thing(random, name, earlier), kind=things[name].kind)
    elif what < 0.85 and things:
        name = random.choice(list(things))
        things[name] = replace(things[name], fixed=not things[name].fixed)
    else:
        # Dependencies the other way round, the hardest case for the order of cleanup.
        order = list(reversed(things))
        kinds = {name: thing.kind for name, thing in things.items()}
        things = {}
        for name in order:
            things[name] = replace(_thing(random, name, list(things)), kind=kinds[name])
    return Plan(things)


def _mended(random: Random, things: dict[str, Thing]) -> dict[str, Thing]:
    mended: dict[str, Thing] = {}
    for name, thing in things.items():
        thing = replace(thing, needs=tuple(n for n in thing.needs if n in mended))  # noqa: PLW2901
        if thing.other and thing.other not in mended:
            thing = replace(thing, how="", other="", literal=random.choice("xyz"))  # noqa: PLW2901
        mended[name] = thing
    return mended
