"""What a cloud says of the values of a recipe, asked before it is accepted.

A validation notes the values that only a cloud can check. Each is asked about once, all at the same
time; if one is refused, the validation is run again and says so in its place. What a cloud does not
tell in time is no reason to refuse anything: the resource will find out.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final, Generic, TypeVar

from hotplate.bounded import Evaluation
from hotplate.document import Data, InvalidDocument
from hotplate.engine.context import Tools
from hotplate.resources.capabilities.names import CLOUD
from hotplate.template import SERVICE_CONSTRAINTS, NamedCheck, local_checks

T = TypeVar("T")

AskedValue = tuple[str, str]
"""A custom constraint, and a value that is put to it."""

_SECONDS: Final = 10.0
"""For all answers together."""

_log = logging.getLogger("hotplate.requests")


@dataclass(slots=True)
class CloudChecks:
    """The values that only a cloud can check: ``asked`` are all, ``faults`` what is refused."""

    asked: set[AskedValue] = field(default_factory=set)
    faults: Mapping[AskedValue, str] = field(default_factory=dict)

    _by_name: dict[str, NamedCheck] = field(default_factory=dict)

    def by_name(self) -> Mapping[str, NamedCheck]:
        """Return the checks of all constraints that need a service; made once."""
        if not self._by_name:
            self._by_name = {rule: partial(self._check, rule) for rule in SERVICE_CONSTRAINTS}
        return self._by_name

    def _check(self, rule: str, value: Data) -> str:
        if not value or isinstance(value, bool) or not isinstance(value, str | int):
            return ""
        self.asked.add((rule, str(value)))
        return self.faults.get((rule, str(value)), "")


def checks_of_parameters(tools: Tools, cloud: CloudChecks | None) -> dict[str, NamedCheck]:
    """Return the checks of custom constraints that can be made now."""
    now = datetime.fromtimestamp(tools.world.now(), UTC)
    return {**local_checks(now), **(cloud.by_name() if cloud else {})}


@dataclass(frozen=True, slots=True)
class _Checked(Generic[T]):
    """What a validation returned or refused, and what a cloud must be asked about it."""

    result: T | InvalidDocument
    asked: frozenset[AskedValue] = frozenset()


async def checked_by_cloud(
    tools: Tools, project: str, validation: Callable[..., T], *args: Any
) -> T:
    """Return what a validation returns, evaluated while other tasks go on.

    ``validation`` is a function of a module, called with tools, ``args`` and what a cloud says. If
    there is a cloud, and a value that it must be asked about, it is. Raises InvalidDocument.
    """
    has_cloud = CLOUD in tools.world.services
    faults: Mapping[AskedValue, str] | None = {} if has_cloud else None
    checked = await tools.evaluate(Evaluation(project, _checked, (validation, faults, *args)))
    # All that is wrong is told at once.
    if checked.asked and (faults := await _faults(tools, checked.asked)):
        checked = await tools.evaluate(Evaluation(project, _checked, (validation, faults, *args)))
    if isinstance(checked.result, InvalidDocument):
        raise checked.result
    return checked.result


def _checked(
    tools: Tools,
    validation: Callable[..., T],
    faults: Mapping[AskedValue, str] | None,
    *args: Any,
) -> _Checked[T]:
    checks = None if faults is None else CloudChecks(faults=faults)
    try:
        result: T | InvalidDocument = validation(tools, *args, checks)
    except InvalidDocument as fault:
        result = fault
    return _Checked(result, frozenset(checks.asked) if checks else frozenset())


async def _faults(tools: Tools, asked: Collection[AskedValue]) -> dict[AskedValue, str]:
    """Return what the cloud refuses, as far as it answers in time."""
    if not asked:
        return {}  # it need not even be loaded
    try:
        cloud = tools.world.service(CLOUD)
    except Exception as error:  # it cannot be used; whoever needs it says so
        _log.warning("values were not checked by the cloud", extra={"reason": str(error)})
        return {}
    tasks = {asyncio.create_task(cloud.look_up(*each)): each for each in sorted(asked)}
    done, late = await asyncio.wait(tasks, timeout=_SECONDS)
    for each in late:
        each.cancel()
    failed = [each for each in done if each.exception() is not None]
    if late or failed:
        why = str(failed[0].exception()) if failed else f"no answer within {_SECONDS:.0f} s"
        _log.warning(
            "values were not checked by the cloud",
            extra={"count": len(late) + len(failed), "reason": why},
        )
    faults = {tasks[each]: each.result().fault for each in done if each.exception() is None}
    return {value: fault for value, fault in faults.items() if fault}
