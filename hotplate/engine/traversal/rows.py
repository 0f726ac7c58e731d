"""What a plan wants to exist, with ids: the rows of a traversal that begins."""

from hotplate.engine.recipes import Bound
from hotplate.engine.world import RealWorld
from hotplate.model import Action, Node, NodeState, Stack, Status, Task, Version
from hotplate.plan.prepare import Preparation


def version_id(stack_number: int, counter: int) -> int:
    """Return an id that no other version or node has."""
    return (stack_number << 32) | counter


def materialise(
    world: RealWorld,
    stack: Stack,
    plan: Preparation,
    bound: Bound | None,
    sequence: int,
    recipe: str,
    now: float,
) -> tuple[list[Node], list[Version], int]:
    """Return nodes and new versions, and how many ids the stack has given out by then."""
    counter = stack.counter
    fresh: list[Version] = []
    if bound is not None:
        for name in plan.missing:
            counter += 1
            type_name = bound.template.resources[name].type
            new = _new_version(world, stack, name, type_name, counter)
            new.owner, new.recipe, new.created_at = sequence, recipe, now
            fresh.append(new)
    first = counter + 1
    counter += len(plan.nodes)
    nodes = []
    for planned in plan.nodes:
        spare = None
        if planned.task is Task.UPDATE and planned.version_id > 0:
            counter += 1
            spare = version_id(stack.number, counter)
        target = planned.version_id
        nodes.append(
            Node(
                id=version_id(stack.number, first + planned.position),
                stack_id=stack.id,
                sequence=sequence,
                version_id=target if target > 0 else fresh[-target - 1].id,
                name=planned.name,
                task=planned.task,
                need=planned.need,
                state=NodeState.WAITING if planned.need else NodeState.READY,
                successors=tuple(
                    version_id(stack.number, first + position) for position in planned.successors
                ),
                spare=spare,
            )
        )
    return nodes, fresh, counter


def _new_version(
    world: RealWorld, stack: Stack, name: str, type_name: str, counter: int
) -> Version:
    return Version(
        id=version_id(stack.number, counter),
        uuid=world.uuid(),
        stack_id=stack.id,
        root_id=stack.root_id,
        name=name,
        type=type_name,
        action=Action.INIT,
        status=Status.COMPLETE,
        owner=stack.sequence,
        recipe=stack.recipe,
        created_at=0,
        project=stack.project,
    )
