"""Plans that compare the objects that values name, not their spelling."""

from collections.abc import Container, Mapping
from dataclasses import replace
from typing import Any

from hotplate.engine.named_objects import first_fault, spelled_anew
from hotplate.engine.preview.questions import Answers, Questions
from hotplate.engine.preview.unknown_values import PartialDefinition, all_properties
from hotplate.model import Definition, Version
from hotplate.plan.decide import Step, decide_return
from hotplate.plan.spelling import NamedObject, NamedObjects, NamedValue, respelled, spellings
from hotplate.plan.unknown_values import KNOWN_LATER, ExpectedDecision, decide_with_unknown
from hotplate.resources.capabilities import TakesNames
from hotplate.resources.resource_type import ResourceType


class Spelling:
    """Decides by what is known of names, and notes what must be asked."""

    def __init__(self, answers: Answers, questions: Questions) -> None:
        self._answers = answers
        self._questions = questions

    def decided(
        self,
        partial: PartialDefinition,
        resource_type: ResourceType,
        present: Version,
        restricted: Container[Step],
    ) -> ExpectedDecision:
        """Return what will be decided, by the objects that values name, not by their spelling."""
        wanted, unknown = partial.definition, partial.unknown
        expected = decide_with_unknown(present, wanted, resource_type, unknown, restricted)
        if not isinstance(resource_type, TakesNames):
            return expected
        known = {name: value for name, value in wanted.properties.items() if name not in unknown}
        properties = all_properties(resource_type, known)
        changes = [each for each in expected.decision.changes if each.new != KNOWN_LATER]
        asked = spellings(resource_type, properties, changes)
        if not asked.all:
            return expected
        objects = self._objects(resource_type, asked.all)
        if objects is None:
            return replace(expected, certain=False)
        if fault := first_fault(asked.new, objects):
            step = expected.decision.step
            return ExpectedDecision(
                replace(expected.decision, step=Step.REFUSE, reason=fault, restricted=step)
            )
        spelled = spelled_anew(
            present, resource_type, respelled(resource_type, properties, changes, objects)
        )
        expected = decide_with_unknown(spelled, wanted, resource_type, unknown, restricted)
        is_known = all(objects[each] != NamedObject() for each in asked.all)
        return replace(expected, certain=expected.certain and is_known)

    def live(
        self,
        present: Version,
        wanted: Definition,
        resource_type: ResourceType,
        live: Mapping[str, Any],
    ) -> Mapping[str, Any]:
        """Return what a provider tells of an object, with names where the template has them."""
        if not isinstance(resource_type, TakesNames):
            return live
        properties = resource_type.convert(wanted.properties)
        changes = decide_return(present, wanted, resource_type, live).changes
        asked = spellings(resource_type, properties, changes)
        objects = self._objects(resource_type, asked.all)
        return {**live, **respelled(resource_type, properties, changes, objects or {})}

    def _objects(
        self, resource_type: TakesNames, values: frozenset[NamedValue]
    ) -> NamedObjects | None:
        """Return what values name; None if that must be asked first."""
        known = self._answers.objects.get(resource_type, {})
        if open_values := values - known.keys():
            self._questions.ask_names(resource_type, open_values)
            return None
        return known
