"""What a large stack was made of before, if nobody remembers it: after the start of a process.

To find out again what its recipe wanted costs little where most resources are written alike, far
less than to read what each of its versions has.
"""

from typing import Final

from sqlalchemy import Connection
from sqlalchemy.exc import NoResultFound

from hotplate.bounded import Evaluation, at_hand
from hotplate.document import InvalidDocument
from hotplate.engine.context import Tools
from hotplate.engine.recipes.book import Bound, StackFacts, fetch
from hotplate.engine.wanted_definition import bind_recipe
from hotplate.model import Stack
from hotplate.model.unchanged import Unchanged
from hotplate.store.large.survey import named, survey_some
from hotplate.template.alike import names_of

_ALIKE: Final = 50
"""So many resources share what is found out, at least."""

_MOST: Final = 100
"""Fingerprints of which it is looked whether versions have them."""


def note_unchanged(
    connection: Connection, tools: Tools, stack: Stack, bound: Bound, coming_from: str
) -> None:
    """Let a bound recipe know what the one wanted that a stack is ``coming_from``, if it pays.

    Reads only. Raises Heavy where that must be found out elsewhere first. What another version of
    hotplate has confirmed may have other fingerprints than this one finds: so some are compared.
    """
    fingerprints = bound.fingerprints
    is_known = bound.unchanged is not None and bound.unchanged.since == coming_from
    if is_known or not coming_from or not fingerprints.is_shared:
        return
    if fingerprints.noted > min(_MOST, len(bound.template.resources) // _ALIKE):
        return
    try:
        recipe = fetch(connection, stack.project, coming_from)
        whose = StackFacts(stack.id, stack.name, stack.project)
        arguments = (whose, recipe, coming_from)
        earlier = at_hand(
            Evaluation(stack.project, bind_recipe, arguments),
            lambda: bind_recipe(tools, *arguments),
        )
    except (InvalidDocument, NoResultFound):
        return  # what there is will be looked at
    wanted = earlier.fingerprints
    if not wanted.is_shared or wanted.noted > _MOST:
        return
    some = survey_some(connection, stack.id, named(connection, stack, sorted(wanted.own)))
    confirmed = {each.name: each.fingerprint for each in some if each.recipe == coming_from}
    if any(confirmed.get(name) != wanted[name] for name in wanted.own):
        return
    names = names_of(earlier.template.resources)
    bound.unchanged = Unchanged(coming_from, wanted, fingerprints, names)
