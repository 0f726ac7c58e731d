"""Finding a resource by the names that lead to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from hotplate.cli.output.exit_codes import Code, Stop
from hotplate.client import Api, Document, StackName, name_of
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
    def dotted(self) -> str:
        """The names that lead to it, with dots between."""
        return ".".join(self.path)

    @property
    def is_old(self) -> bool:
        """Whether another version stands for it, or for a stack around it."""
        return bool(self.document.get("is_old"))

    @property
    def stack_name(self) -> StackName:
        """How to address the stack it is in."""
        return name_of(self.stack)

    @property
    def address(self) -> str:
        """Where it is below the project."""
        return f"{self.stack_name.path}/resources/{quote(self.path[-1], safe='~')}"


async def found_resource(api: Api, stack: StackName, dotted: str) -> FoundResource:
    """Return the resource at a path of names, with dots or slashes between. Raises Stop.

    A name alone that only one resource in all nested stacks has, will do.
    """
    everything = every_resource(await api.tree(stack))
    every = [each for each in everything if not each.is_old]
    # What is nested in an old version can be named if no current resource has the name.
    fitting = _fitting(every, dotted) or _fitting(everything, dotted)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        some = ", ".join(each.dotted for each in fitting[:5])
        raise Stop(
            f'{stack.name} has {len(fitting)} resources "{dotted}"', Code.REFUSED, f"such as {some}"
        )
    known = [each.dotted for each in every]
    hint = did_you_mean(dotted, known) or f"`hotplate tree {stack.name}` shows them"
    raise Stop(f'{stack.name} has no resource "{dotted}"', Code.REFUSED, hint)


def _fitting(every: Sequence[FoundResource], dotted: str) -> list[FoundResource]:
    names = tuple(dotted.replace("/", ".").split("."))
    exact = [each for each in every if each.path == names or each.dotted == dotted]
    return exact or [each for each in every if each.path[-len(names) :] == names]


def every_resource(
    stack: Document, path: tuple[str, ...] = (), way: tuple[Document, ...] = ()
) -> list[FoundResource]:
    """Return all resources of a tree, each before those of its nested stack."""
    found = []
    for resource in stack["resources"]:
        inner = (*path, resource["resource_name"])
        found.append(FoundResource(inner, resource, stack, way))
        if "stack" in resource:
            found.extend(every_resource(resource["stack"], inner, (*way, resource)))
    return found
