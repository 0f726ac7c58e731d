"""Signals to resources."""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection

from hotplate.engine import status_texts
from hotplate.engine.context import Tools
from hotplate.engine.current_versions import shown
from hotplate.engine.event_log import NewEvents
from hotplate.engine.lookup import locked_stack
from hotplate.engine.recipes.hidden_parameters import secrets_of
from hotplate.engine.refusals import Entity, NotFound, NotSupported, Refused
from hotplate.engine.requests.software import report
from hotplate.engine.traversal.between import adjust, find_group
from hotplate.model import Action, Stack, Status, Version
from hotplate.model.limits import LARGEST_SIGNALS, MOST_SIGNALS
from hotplate.resources.capabilities import (
    ITSELF,
    ActsOnSignals,
    AdjustsGroup,
    DeploysSoftware,
    Listens,
    TakesSignals,
)
from hotplate.resources.heat.provider_template import resource_type_for
from hotplate.resources.resource_type import BadSignal
from hotplate.secret import Secrets
from hotplate.store.events import insert_events
from hotplate.store.nodes import wake_version
from hotplate.store.signal_cache import Signals
from hotplate.store.signals import (
    forget_signals,
    insert_signal,
    listeners,
    listening_versions,
    lock_version,
)
from hotplate.store.stacks import read_stacks
from hotplate.store.versions import read_versions, versions_named


class BadRequest(Refused):
    """What was sent makes no sense."""


class AddressEnded(Refused):
    """The signed address of a resource was good for a time, and that is over."""

    def __init__(self, end: float) -> None:
        at = datetime.fromtimestamp(end, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        super().__init__(
            f"the address has expired: nothing waits for its signals since {at}",
            "signal the resource with a token, or update the stack so that something waits anew",
        )


class SignalRefused(NotSupported):
    """A resource takes no signal in the state that it is in."""

    def __init__(self, version: Version) -> None:
        self.version = version
        super().__init__(f"Signal resource during {version.action.value}")


def send_signal(
    connection: Connection,
    tools: Tools,
    stack_id: str,
    name: str,
    details: Mapping[str, Any],
    creation_token: str = "",
) -> list[int]:
    """Keep a signal and wake what waits for it; return the nodes that are ready.

    It is for the version with the creation token, without one for that which stands for the
    resource. Raises NotFound, NotSupported, or BadRequest if the type cannot make sense of the
    details; after SignalRefused the caller calls `note_refused` in a transaction of its own.
    """
    stack = locked_stack(connection, stack_id)
    version = addressed(versions_named(connection, stack_id, [name]), name, creation_token)
    if version is None or version.action is Action.INIT:
        raise NotFound(Entity.RESOURCE, name, stack.name)
    resource_type = resource_type_for(tools.catalogue, version.type_name)
    if not isinstance(resource_type, TakesSignals):
        raise NotSupported("signal", f"resources of the type {version.type} take none") from None
    if version.is_external:
        raise NotSupported("signal", status_texts.untouched(version.physical_id))
    if version.action in (Action.DELETE, Action.SUSPEND) and not isinstance(
        resource_type, DeploysSoftware
    ):
        raise SignalRefused(version)
    if isinstance(resource_type, AdjustsGroup):
        adjustment = resource_type.adjustment(resource_type.convert(version.definition.properties))
        group = find_group(connection, version, adjustment.group)
        if group is None:
            text = f'Alarm {name} could not find scaling group named "{adjustment.group}"'
            raise BadRequest(text, "give the policy the reference of a group")
        text = _secrets(tools, version).text(_alarm_text(details))
        return adjust(connection, tools, stack, version, group, adjustment, text)
    lock_version(connection, version.id)
    if creation_token:
        _must_be_awaited(connection, tools, stack, version)
    earlier = tools.signals.peek(connection, version)
    make_room(connection, resource_type, version.id, earlier, details)
    try:
        kept = resource_type.received(details, earlier.bodies)
    except BadSignal as error:
        raise BadRequest(str(error)) from None
    now = tools.world.now()
    effect = resource_type.signal_news(kept)
    if isinstance(resource_type, DeploysSoftware):
        effect = report(connection, stack.project, version.physical_id or "", kept, now)
        if not effect:
            if not creation_token:  # whoever has an address could write no end of them
                note(connection, tools, version, effect, details)
            return []
        kept = {}  # what was reported is with the deployment; this only says that it was
    insert_signal(connection, stack.project, version.id, stack_id, now, kept)
    if not isinstance(resource_type, ActsOnSignals):  # what acts on it writes the event
        note(connection, tools, version, effect, details)
    return _wake_listeners(connection, tools, version)


def _must_be_awaited(connection: Connection, tools: Tools, stack: Stack, version: Version) -> None:
    """Refuse a signal by an address if all that waited for it is complete, and its time is up.

    While something goes on in the stack, or around it, one may begin to wait; what has failed may
    be tried again, and finds signals that came too late. Raises AddressEnded.
    """
    ids = {stack.id, stack.root_id}
    if any(each.status is Status.IN_PROGRESS for each in read_stacks(connection, ids).values()):
        return
    found = listeners(connection, version, _reference(version))
    ends = [_listens_until(tools, each) for each in read_versions(connection, found).values()]
    last = max((end for end in ends if end is not None), default=None)
    if last is None or None in ends or tools.world.now() < last:
        return
    raise AddressEnded(last)


def _listens_until(tools: Tools, version: Version) -> float | None:
    resource_type = resource_type_for(tools.catalogue, version.type_name)
    if version.status is not Status.COMPLETE or not isinstance(resource_type, Listens):
        return None
    return resource_type.listens_until(version.data)


def make_room(
    connection: Connection,
    resource_type: TakesSignals,
    version_id: int,
    earlier: Signals,
    details: Mapping[str, Any],
) -> None:
    """See to it that one more signal can be kept. Raises BadRequest if there are too many.

    Of what acts on each signal the oldest ones are forgotten: nobody counts them.
    """
    number, size = len(earlier.stored), earlier.size
    if isinstance(resource_type, ActsOnSignals | DeploysSoftware):
        if number >= MOST_SIGNALS or size > LARGEST_SIGNALS:
            forget_signals(
                connection, version_id, MOST_SIGNALS // 2 if size <= LARGEST_SIGNALS else 1
            )
        return
    size += len(json.dumps(details))
    if number >= MOST_SIGNALS or size > LARGEST_SIGNALS:
        raise BadRequest(
            f"Request limit exceeded: the resource has {number} signals already, and takes at most "
            f"{MOST_SIGNALS} with {LARGEST_SIGNALS} bytes in all",
            "replace the resource if it is to take more",
        )


def note(
    connection: Connection, tools: Tools, version: Version, effect: str, details: Mapping[str, Any]
) -> None:
    """Write the event of a signal, in the words that Heat has for it.

    Its status is that of the resource. ``effect`` is what came of the signal, empty if nothing is
    known.
    """
    events = NewEvents(tools.world, tools.world.now())
    reason = f"Signal: {effect}" if effect else _alarm_text(details)
    events.version(version, Action.SIGNAL, version.status, _secrets(tools, version).text(reason))
    insert_events(connection, events.rows)


def _secrets(tools: Tools, version: Version) -> Secrets:
    """Return the secrets that whoever signals a resource may repeat.

    No template is bound for it: this is part of a transaction.
    """
    bound = tools.book.known(version.stack_id, version.recipe)
    own = version.definition.secrets()
    return own if bound is None else own | secrets_of(bound)


def note_refused(connection: Connection, tools: Tools, version: Version) -> list[int]:
    """Write the event of a signal that came when there could be none; nothing becomes ready."""
    events = NewEvents(tools.world, tools.world.now())
    reason = f"Cannot signal resource during {version.action.value}"
    events.version(version, version.action, version.status, reason)
    insert_events(connection, events.rows)
    return []


def _alarm_text(details: Mapping[str, Any]) -> str:
    """Return what an alarm says of itself, in the words that Heat has for it."""
    if not details:
        return "No signal details provided"
    if {"previous", "current", "reason"} <= details.keys():
        state = f"{details['previous']} to {details['current']} ({details['reason']})"
        return f"alarm state changed from {state}"
    return "Unknown"


def addressed(versions: Iterable[Version], name: str, creation_token: str) -> Version | None:
    """Return the version with a creation token, without one that which stands for a resource."""
    if not creation_token:
        return shown(versions).get(name)
    return next(
        (each for each in versions if each.uuid == creation_token and each.name == name), None
    )


def _wake_listeners(connection: Connection, tools: Tools, signalled: Version) -> list[int]:
    """Wake the parked nodes of the tree whose versions listen to the one that got the signal."""
    woken = wake_version(connection, signalled.id) if _listens_to(tools, signalled, ITSELF) else []
    reference = _reference(signalled)
    parked = listening_versions(connection, signalled, reference)
    for version in read_versions(connection, parked).values():
        if _listens_to(tools, version, reference):
            woken.extend(wake_version(connection, version.id))
    return woken


def _reference(version: Version) -> str:
    return version.reference or version.physical_id or version.name


def _listens_to(tools: Tools, version: Version, reference: str) -> bool:
    resource_type = resource_type_for(tools.catalogue, version.type_name)
    if not isinstance(resource_type, Listens):
        return False
    return (
        resource_type.listens_to(resource_type.convert(version.definition.properties)) == reference
    )
