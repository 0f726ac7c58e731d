"""What a preview must ask types before it is certain, and their answers.

A plan is made in a transaction, and nobody is asked in one. So the plan notes its questions, and is
made anew when they are answered.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from hotplate.engine.context import Tools
from hotplate.engine.named_objects import look_up_soon
from hotplate.engine.world import ServiceMissing
from hotplate.identity import AuthorityLost
from hotplate.model import Stack, Version
from hotplate.plan.spelling import NamedObject, NamedObjects, NamedValue
from hotplate.resources.capabilities import ChecksReplacement, TakesNames
from hotplate.resources.property import BadProperty
from hotplate.resources.resource_type import Resource, ResourceFailed

_SECONDS: Final = 10.0
"""For which a type may look before an update in place."""


@dataclass(frozen=True, slots=True)
class Question:
    """Whether a type, asked before an update in place, wants a new object instead."""

    resource_type: ChecksReplacement
    stack: Stack
    version: Version
    properties: Mapping[str, Any]


@dataclass(slots=True)
class Questions:
    """All that a plan has to ask: of replacements, and what values name."""

    replacements: list[Question] = field(default_factory=list)
    names: dict[TakesNames, set[NamedValue]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.replacements or self.names)

    def ask_names(self, resource_type: TakesNames, values: frozenset[NamedValue]) -> None:
        """Add what must be looked up."""
        self.names.setdefault(resource_type, set()).update(values)


@dataclass(frozen=True, slots=True)
class Answers:
    """What was answered.

    ``verdicts`` are why a type wants a version replaced, by its id: empty if it does not, None if
    that is unknown. ``objects`` is what values name, for each type that was asked.
    """

    verdicts: Mapping[int, str | None] = field(default_factory=dict)
    objects: Mapping[TakesNames, NamedObjects] = field(default_factory=dict)


async def answers_to(tools: Tools, asked: Questions, known: Answers) -> Answers:
    """Return what is known when all are asked, at the same time; each question is asked once."""
    questions = [each for each in asked.replacements if each.version.id not in known.verdicts]
    verdicts = asyncio.gather(*(_verdict(tools, each) for each in questions))
    found = await asyncio.gather(
        *(look_up_soon(each, tools.world, values) for each, values in asked.names.items())
    )
    objects: dict[TakesNames, dict[NamedValue, NamedObject]] = {
        resource_type: dict(each) for resource_type, each in known.objects.items()
    }
    for resource_type, each in zip(asked.names, found, strict=True):
        objects.setdefault(resource_type, {}).update(each)
    answered = zip((each.version.id for each in questions), await verdicts, strict=True)
    return Answers({**known.verdicts, **dict(answered)}, objects)


async def _verdict(tools: Tools, question: Question) -> str | None:
    """Return why a type wants a new object, empty if it does not; None if it cannot tell now."""
    resource_type, version, stack = question.resource_type, question.version, question.stack
    try:
        resource = Resource(
            stack_name=stack.name,
            stack_id=stack.id,
            project=stack.project,
            name=version.name,
            creation_token=version.uuid,
            physical_id=version.physical_id,
            properties=resource_type.convert(dict(question.properties)),
            data=dict(version.data),
            world=tools.world,
            old_properties=resource_type.convert(version.definition.properties),
        )
        async with asyncio.timeout(_SECONDS):
            return await resource_type.must_replace(resource)
    except (TimeoutError, ResourceFailed, ServiceMissing, BadProperty, AuthorityLost):
        return None
