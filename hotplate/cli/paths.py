"""Finding a resource by the names that lead to it."""

from dataclasses import dataclass

from hotplate.cli.codes import Code, Stop
from hotplate.client.api import Api, Document, StackName, name_of
from hotplate.document.suggestion import did_you_mean


@dataclass(frozen=True, slots=True)
class FoundResource:
    """A resource, the stack it is in, and the stacks on the way to that."""

    path: tuple[str, ...]
    document: Document
    stack: Document
    way: tuple[Document, ...]
    """The resources that are the stacks around it, outermost first."""

    @property
    def stack_name(self) -> StackName:
        """How to address the stack it is in."""
        return name_of(self.stack)


async def found_resource(api: Api, stack: StackName, dotted: str) -> FoundResource:
    """Return the resource at a path of names, with dots or slashes between. Raises Stop.

    A name alone that only one resource in all stacks inside has, will do.
    """
    tree = await api.tree(stack)
    every = list(_every(tree, (), ()))
    names = tuple(dotted.replace("/", ".").split("."))
    exact = [each for each in every if each.path == names or ".".join(each.path) == dotted]
    fitting = exact or [each for each in every if each.path[-len(names) :] == names]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        some = ", ".join(".".join(each.path) for each in fitting[:5])
        raise Stop(
            f'{stack.name} has {len(fitting)} resources "{dotted}"', Code.REFUSED, f"such as {some}"
        )
    known = [".".join(each.path) for each in every]
    hint = did_you_mean(dotted, known) or f"`hotplate tree {stack.name}` shows them"
    raise Stop(f'{stack.name} has no resource "{dotted}"', Code.REFUSED, hint)


def _every(
    stack: Document, path: tuple[str, ...], way: tuple[Document, ...]
) -> list[FoundResource]:
    found = []
    for resource in stack["resources"]:
        inner = (*path, resource["resource_name"])
        found.append(FoundResource(inner, resource, stack, way))
        if "stack" in resource:
            found.extend(_every(resource["stack"], inner, (*way, resource)))
    return found
