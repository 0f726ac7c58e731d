"""What would happen to a resource, as previews show it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, Final

from hotplate.engine.preview.origins import Source
from hotplate.model import Difference
from hotplate.plan.decide import Change, Step, Transfer

NOT_YET: Final = "None"
"""The id of a stack that does not exist yet, as Heat shows it."""


@dataclass(frozen=True, slots=True)
class Planned:
    """What would happen to one resource.

    ``path`` are the names that lead to it through the stacks. If not ``certain``, a value it
    depends on is only known later, and it may turn out that less has to be done.
    """

    path: tuple[str, ...]
    type: str
    step: Step | None
    physical_id: str | None
    reason: str = ""
    changes: tuple[Change, ...] = ()
    certain: bool = True
    """A step of None stands for deletion."""

    properties: Mapping[str, Any] = field(default_factory=dict)
    """What it shall be given; empty for a deletion."""

    restricted: Step | None = None
    """The step that would be taken if the environment did not forbid it, or if it could be."""

    is_kept: bool = False
    """Whether a resource goes from the stack while its object stays."""

    sources: Mapping[str, tuple[Source, ...]] = field(default_factory=dict)
    """Where the new value of each property that changes comes from."""

    written: Source | None = None
    """Where the resource is written."""

    differences: tuple[Difference, ...] = ()
    """What the last check found to differ, and an update would leave so."""

    transfer: Transfer | None = None
    """What happens to whose the object is."""

    is_visit: bool = False
    """Whether nothing about it changes: something in the nested stack is looked at every time."""

    stack_name: str = ""
    stack_id: str = NOT_YET
    """The stack that it is in."""

    is_stack: bool = False
    """Whether it is a stack of which it is known what is in it."""

    required_by: tuple[str, ...] = ()
    description: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    attributes: tuple[str, ...] = ()
    """What can be asked of it."""

    def __reduce__(self) -> Any:
        # Far cheaper than what a dataclass does by itself, and there may be a hundred thousand.
        return Planned, _FACTS(self)


_FACTS: Final = attrgetter(*(each.name for each in fields(Planned)))
