"""What is stored against a recipe: objects of other resources, and the stack's own past."""

from sqlalchemy import Connection

from hotplate.document import InvalidDocument, Problem
from hotplate.engine.context import Tools
from hotplate.engine.object_ownership import unreadable
from hotplate.engine.recipes.book import Bound
from hotplate.engine.refusals import ImmutableChanged
from hotplate.model import Stack
from hotplate.store.objects import holders
from hotplate.template import changed_immutable


def refuse_external_conflicts(connection: Connection, stack: Stack, bound: Bound) -> None:
    """Refuse a recipe by which a resource would use an object that is about to be deleted.

    Refused before anything begins, as far as it can be known; what is taken meanwhile is noticed
    when the resource takes it. Raises InvalidDocument.
    """
    template = bound.template.template
    problems = []
    for name, object_id in bound.external_ids().items():
        resolution = bound.resolution(name)
        for holder in holders(connection, stack.project, object_id):
            is_own = (holder.stack_id, holder.name) == (stack.id, name)
            if is_own or holder.type_name != (resolution.template or resolution.type):
                continue
            text = unreadable(holder, stack.id, bound.template.resources)
            if text:
                path = (*bound.template.resources[name].path, template.dialect.keywords.external_id)
                problems.append(template.document.placed(Problem(text, path)))
    if problems:
        raise InvalidDocument(problems)


def refuse_changed_immutables(
    connection: Connection, tools: Tools, stack: Stack, bound: Bound
) -> None:
    """Refuse a recipe that gives another value to an immutable parameter of the stack.

    Compared is what the stack is made of now, whether or not that has completed. Raises
    ImmutableChanged.
    """
    declared = bound.template.template.parameters.values()
    if not any(parameter.immutable for parameter in declared):
        return  # spares binding the old recipe
    old = tools.book.bound(connection, stack, stack.recipe)
    if changed := changed_immutable(old.values, bound.values):
        raise ImmutableChanged(changed)
