"""What the resources of a stack will have published when an update has gone by."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from hotplate.document import Data
from hotplate.engine.context import Tools
from hotplate.engine.external_objects import Observation
from hotplate.engine.nested_stacks import attributes_from, child_reports
from hotplate.engine.preview.unknown_values import UNKNOWN, AnyAttribute
from hotplate.engine.published_values import PublishedValues
from hotplate.engine.recipes.book import Bound
from hotplate.model import Version
from hotplate.plan.decide import Decision, Step
from hotplate.plan.settled import lacks
from hotplate.resources.heat.provider_template import resource_type_for
from hotplate.resources.resource_type import Child
from hotplate.template import ResourceData


class ExpectedValues:
    """Published values as far as they are certain; others are unknown. Grows as one plans on."""

    def __init__(self, connection: Connection, tools: Tools, bound: Bound | None) -> None:
        self._connection = connection
        self._tools = tools
        self._bound = bound
        self._published = PublishedValues()

    @property
    def data(self) -> Mapping[str, ResourceData]:
        """What each resource will have published, by name."""
        return self._published.data

    def add_settled(self, version: Version) -> None:
        """Add what a version offers for which there is nothing to do."""
        self._published.add(version)

    def add(self, name: str, decision: Decision, present: Version | None) -> None:
        """Add what a resource will offer by a decision."""
        if present is not None and decision.step in (Step.LEAVE, Step.REFUSE):
            self._published.add(present)
            self._add_newly_asked(present)
            return
        reference = UNKNOWN
        if present is not None and decision.step is Step.UPDATE:
            reference = present.reference or present.physical_id or name
            if decision.restores and present.physical_id is None:
                reference = UNKNOWN  # it is made again
        self._published.data[name] = ResourceData(reference, AnyAttribute())
        self._published.ids[name] = present.id if present else 0

    def add_external(self, name: str, object_id: str, observation: Observation | None) -> None:
        """Add what an external object offers, as far as it was read."""
        attributes: Mapping[Any, Data] = AnyAttribute()
        if observation is not None and observation.found.attributes is not None:
            attributes = observation.found.attributes
        self._published.data[name] = ResourceData(object_id, attributes)

    def add_visited(self, present: Version, child: Child) -> None:
        """Add what a nested stack offers in which nothing changes but that."""
        if self._bound is None:
            return
        resource_type = resource_type_for(self._tools.catalogue, present.type_name)
        attributes = attributes_from(resource_type, present, self._bound, child)
        self._published.add(replace(present, attributes=attributes))

    def _add_newly_asked(self, present: Version) -> None:
        """Add what is asked of a nested stack that stays as it is and was not asked before."""
        asked = () if self._bound is None else self._bound.needed.get(present.name, ())
        if not present.is_nested_stack or not lacks(present, asked):
            return
        book, catalogue = self._tools.book, self._tools.catalogue
        inside = [present.physical_id or ""]
        (report,) = child_reports(self._connection, book, catalogue, inside, reads_all=True)
        if report.child is not None:
            self.add_visited(present, report.child)
