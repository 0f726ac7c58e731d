"""Versions that a traversal carries: they are its own, and nothing was written to them.

A large stack has many versions for which an update has nothing to do. To write into each that it
belongs to the new traversal now would cost more than all the rest, so a note on the stack says it:
every version whose owner is older than the traversal before the ``carrier`` belongs to the carrier,
and was confirmed for the ``carried_recipe``. Whatever else is there when the note is written gets
an owner that is not so old: the carrier itself, or the one just before it, which is nobody's, for a
large traversal leaves out a number (`APART`).

The note stays true whatever comes next. What reads owners and recipes of versions takes them from
here. Of two versions of one name the newer one has the newer owner in any case, for only a version
that is the only one of its name is carried: to find out which one stands for the name the columns
themselves will do.
"""

from typing import Final

from sqlalchemy import ColumnElement, case

from hotplate.store.schema import stack, version

APART: Final = 2
"""By how much the sequence of a large traversal is greater than that of the one before it."""

_IS_CARRIED: Final = version.c.owner <= stack.c.carrier - APART

OWNER: Final[ColumnElement[int]] = case(
    (_IS_CARRIED, stack.c.carrier), else_=version.c.owner
).label("owner")
"""The traversal that a version belongs to, where its stack is joined."""

RECIPE: Final[ColumnElement[str]] = case(
    (_IS_CARRIED, stack.c.carried_recipe), else_=version.c.recipe
).label("recipe")
"""What a version was last created, updated or confirmed for, where its stack is joined."""
