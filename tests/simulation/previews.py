"""Whether an update does what its preview said, for random templates and random changes."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from random import Random

from hotplate.engine.preview.planned_change import Planned
from hotplate.engine.recipes import Recipe
from hotplate.engine.requests.operations import Operations
from hotplate.plan.decide import Step, Transfer
from hotplate.testing import Plan, Story, Violation
from tests.simulation.nesting import nest, nest_again, pace
from tests.simulation.templates import changed, random_plan

Path = tuple[str, ...]

_WEIGHT = {Step.LEAVE: 0, Step.UPDATE: 1, Step.REPLACE: 2}
"""What is not certain may turn out to be less."""


@dataclass
class Tree:
    """The versions of a tree of stacks by their paths, and what has happened to each."""

    versions: dict[Path, list[int]] = field(default_factory=dict)
    updated: set[Path] = field(default_factory=set)


@dataclass
class PreviewRun:
    """A stack that is created and updated; before each update its preview is asked for."""

    seed: int
    nested: bool = False
    paced: bool = False
    failing: bool = False
    """Whether one update fails somewhere, and the next one starts from there."""

    visited: bool = False
    """Whether some things are updated every time, and others are objects that somebody changes."""

    drifting: bool = False
    """Whether others change our objects, and every update brings them back."""

    keyed: bool = False
    """Whether objects have keys, which old ones give up for their replacements."""

    seen: dict[Step | None, int] = field(default_factory=dict)
    """How often each step was expected for certain and happened."""

    def go(self, updates: int = 3) -> None:
        """Play it. Raises Violation if something else happened than was expected."""
        random = Random(self.seed)
        plan = self._keyed(self._shaped(random, random_plan(random)))
        with Story(self.seed, workers=1) as story:
            theirs = [story.external.make("x").id for _ in range(3)] if self.visited else []
            story.create(self._visited(plan, theirs))
            story.finish()
            for _ in range(updates):
                old, plan = plan, changed(random, plan)
                if self.nested:
                    plan = nest_again(random, old, plan)
                if self.paced:
                    plan = pace(random, plan)
                plan = self._keyed(plan)
                if self.failing:
                    self._fail(story, random, plan)
                for object_id in theirs:
                    story.external.change(object_id, random.choice("xyz"))
                if self.drifting:
                    self._drift(story, random)
                self._update(story, self._visited(plan, theirs))

    def _shaped(self, random: Random, plan: Plan) -> Plan:
        plan = nest(random, plan) if self.nested else plan
        return pace(random, plan) if self.paced else plan

    def _keyed(self, plan: Plan) -> Plan:
        """The plan, in which all objects have keys that can be taken from them."""
        things = {name: replace(thing, kind="attached") for name, thing in plan.things.items()}
        return replace(plan, things=things) if self.keyed else plan

    def _visited(self, plan: Plan, theirs: list[str], path: str = "") -> Plan:
        """The plan, in which some things ask to be looked at by every update, always the same."""
        things = {}
        for name, thing in plan.things.items() if theirs else ():
            here = f"{path}/{name}"
            drawn = Random(f"{self.seed}{here}")
            inside = thing.inside and self._visited(thing.inside, theirs, here)
            role = drawn.random()
            if role < 0.25:
                things[name] = replace(thing, inside=inside, kind="restless")
            elif role < 0.5 and not thing.is_stack:
                things[name] = replace(thing, external=drawn.choice(theirs))
            else:
                things[name] = replace(thing, inside=inside)
        return replace(plan, things=things) if theirs else plan

    def _drift(self, story: Story, random: Random) -> None:
        """Change some objects behind the engine's back, and remove a few."""
        ours = [each for each in story.cloud.objects.values() if each.id not in story.external]
        for item in ours:
            drawn = random.random()
            if drawn < 0.1:
                del story.cloud.objects[item.id]
            elif drawn < 0.4:
                item.value = random.choice("xyz")

    def _fail(self, story: Story, random: Random, plan: Plan) -> None:
        """Update to something in between while a resource cannot be made or changed."""
        name, verb = random.choice([*plan.things, "0"]), random.choice(("create", "update"))
        story.failing(name, verb)
        story.update(self._keyed(changed(random, plan)))
        story.finish()
        story.working(name, verb)

    def _update(self, story: Story, plan: Plan) -> None:
        expected = previewed(story, plan, self.drifting)
        before = _tree(story, 0)
        last = _last_event(story)
        story.update(plan, converges=self.drifting)
        story.finish()
        if story.status != "UPDATE_COMPLETE":
            raise Violation(f"{story.status}: {story.reason}")
        try:
            self._compare(expected, before, _tree(story, last))
        except Violation as error:
            error.add_note(str(plan))
            error.add_note("\n".join(map(str, expected)))
            raise
        if self.drifting:
            story.verify(plan, "UPDATE_COMPLETE")

    def _compare(self, expected: list[Planned], before: Tree, after: Tree) -> None:
        vague = {planned.path for planned in expected if not planned.certain}
        replaced = {planned.path for planned in expected if planned.step is Step.REPLACE}
        gone = {planned.path for planned in expected if planned.step is None}
        said: dict[Path, Counter[Step | None]] = {}
        for planned in expected:
            # Where somebody else's object takes the place of ours, what goes is told by itself.
            is_switch = planned.transfer is Transfer.SWITCH and planned.path in gone
            step = Step.CREATE if is_switch else planned.step
            said.setdefault(planned.path, Counter())[step] += 1
        for path in said.keys() | before.versions.keys() | after.versions.keys():
            if _below(path, vague):
                continue  # what is inside depends on what is known later
            happened = _happened(path, before, after, _below(path, replaced))
            steps = said.get(path, Counter())
            if path not in vague and _apart(steps) == _apart(happened):
                for step in steps:
                    self.seen[step] = self.seen.get(step, 0) + 1
            elif path not in vague or not _is_less(steps, happened):
                raise Violation(f"{'/'.join(path)}: expected {steps}, happened {happened}")


def previewed(story: Story, plan: Plan, converges: bool = False) -> list[Planned]:
    """Return what an update to the plan would do."""
    answers: list[list[Planned]] = []

    async def ask(operations: Operations) -> None:
        recipe = Recipe(plan.hot(), plan.files())
        preview = await operations.preview_update(story.stack_id, recipe, converges)
        answers.append(preview.planned)

    request = story.simulation.ask("preview", ask)
    story.until(lambda: request.is_over)
    if request.error is not None:
        raise request.error
    return answers[0]


def _below(path: Path, others: Iterable[Path]) -> bool:
    return any(path[: len(other)] == other and path != other for other in others)


def _apart(steps: Counter[Step | None]) -> Counter[Step | None]:
    """Return the steps with each replacement as what it is: one comes and one goes."""
    apart = Counter(steps)
    for step in (Step.CREATE, None):
        apart[step] += steps[Step.REPLACE]
    del apart[Step.REPLACE]
    return +apart


def _is_less(steps: Counter[Step | None], happened: Counter[Step | None]) -> bool:
    """Tell whether nothing more happened than was said to be possible."""
    rest, extra = steps - happened, happened - steps
    if not rest and not extra:
        return True
    if rest.total() != 1 or extra.total() != 1:
        return False
    (most,), (least,) = rest, extra
    return most in _WEIGHT and least in _WEIGHT and _WEIGHT[least] <= _WEIGHT[most]


def _happened(path: Path, before: Tree, after: Tree, anew: bool) -> Counter[Step | None]:
    old, new = before.versions.get(path, []), after.versions.get(path, [])
    if len(new) > 1:
        raise Violation(f"{'/'.join(path)}: versions {new} are left")
    if not old or not new:
        return Counter({Step.CREATE: len(new), None: len(old)}) + Counter()
    left_over = Counter({None: len(old) - 1}) + Counter()
    if new[0] in old:
        return left_over + Counter([Step.UPDATE if path in after.updated else Step.LEAVE])
    # Inside a stack that was replaced, the old ones go and new ones come.
    return left_over + Counter([None, Step.CREATE] if anew else [Step.REPLACE])


def _tree(story: Story, last: int) -> Tree:
    tree, now = Tree(), story.simulation.invariants.now
    rows = story.simulation.database.rows(
        f"SELECT stack_id, name FROM event WHERE action = 'UPDATE' AND number > {last}"
        " AND reason NOT LIKE '%prepared for its replacement%'"
    )
    updated = set(map(tuple, rows))
    below: list[tuple[Path, str]] = [((), story.stack_id)]
    for path, stack_id in below:
        for version in now.of_stack(stack_id):
            here = (*path, version.name)
            is_deleted = (version.action, version.status) == ("DELETE", "COMPLETE")
            if version.physical_id is None or is_deleted:
                continue
            tree.versions.setdefault(here, []).append(version.id)
            if (stack_id, version.name) in updated:
                tree.updated.add(here)
            child = now.child(version)
            if child is not None:
                below.append((here, child.id))
    return tree


def _last_event(story: Story) -> int:
    rows = story.simulation.database.rows("SELECT COALESCE(MAX(number), 0) FROM event")
    return int(rows[0][0])
