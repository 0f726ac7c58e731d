"""Restrictions: what an update must not do to a resource."""

from typing import Final

from hotplate.engine.recipes.book import Bound
from hotplate.environment import RestrictedAction
from hotplate.plan.decide import Step

_STEPS: Final = {RestrictedAction.UPDATE: Step.UPDATE, RestrictedAction.REPLACE: Step.REPLACE}


def restricted_steps(bound: Bound, name: str) -> frozenset[Step]:
    """Return what an update must not do to a resource."""
    return frozenset(map(_STEPS.__getitem__, bound.environment.registry.restricted_actions(name)))
