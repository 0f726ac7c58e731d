"""Queries on authorities, and on the stacks that are worked on with them."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlalchemy import Connection, and_, delete, exists, func, or_, select, update

from hotplate.model import Authority, AuthorityState, ReasonCode, Stack, Status
from hotplate.store.nodes import parked_versions, wake
from hotplate.store.schema import authority, stack, unless_known, version
from hotplate.store.sealing import seals_of

_TOKEN: Final = "authority|token"  # noqa: S105 (the name of a column)
_TRUST: Final = "authority|trust"
_USES: Final = and_(
    stack.c.deleted_at.is_(None),
    or_(stack.c.authority_id == authority.c.id, stack.c.visitor_id == authority.c.id),
)
_MOST_TREES: Final = 1000
_IS_USED: Final = exists().where(_USES)


@dataclass(frozen=True, slots=True)
class ListedAuthority:
    """An authority as it is shown to the operator, and how many stacks use it. No secrets."""

    authority: Authority
    has_token: bool
    has_trust: bool
    stacks: int


def read_authority(connection: Connection, authority_id: str) -> Authority | None:
    """Return an authority with its secrets."""
    row = connection.execute(select(authority).where(authority.c.id == authority_id)).first()
    return None if row is None else _opened(connection, row)


def put_authority(connection: Connection, given: Authority, now: float) -> Authority:
    """Keep an authority whose user has just come with a good token; return what holds now.

    The token that lives longest is kept, after a refusal the given one. What is known of a trust
    stays. From here to the end of the transaction nobody else changes the row, and whoever removes
    unused authorities waits and then sees that this one is used.
    """
    seals = seals_of(connection, given.project)
    fresh = replace(given, state=AuthorityState.GOOD, reason="", created_at=now, changed_at=now)
    connection.execute(unless_known(connection, authority), _row(connection, fresh))
    query = select(authority).where(authority.c.id == given.id).with_for_update()
    known = _opened(connection, connection.execute(query).one())
    was_good = known.state is AuthorityState.GOOD
    if was_good and given.token_expires <= known.token_expires and known.token:
        return known
    # What was ending may lose its trust at any moment.
    trust = "" if known.state is AuthorityState.ENDING else known.trust
    changed = replace(
        known,
        user_name=given.user_name,
        project_name=given.project_name,
        token=given.token,
        token_expires=given.token_expires,
        catalog=given.catalog or known.catalog,
        trust=trust,
        state=AuthorityState.GOOD,
        reason="",
        changed_at=now,
    )
    row = _row(connection, changed)
    row["trust"] = seals.seal(_TRUST, given.id, trust)
    connection.execute(update(authority).where(authority.c.id == given.id).values(row))
    if known.state is AuthorityState.SUSPENDED:
        wake_waiting(connection, authority_id=given.id)
    return changed


def authorise(
    connection: Connection, whose: Stack, authority_id: str, visits_only: bool = False
) -> None:
    """Let a locked stack, and with a root all that is nested in it, be worked on with an authority.

    ``visits_only``: checks, suspends, resumes and snapshots are done with it, and nothing else. The
    stacks are locked in the order of their numbers, as everywhere.
    """
    name = "visitor_id" if visits_only else "authority_id"
    column = stack.c[name]
    is_other = or_(column.is_(None), column != authority_id)
    below = stack.c.root_id == whose.id if whose.parent_id is None else stack.c.id == whose.id
    query = select(stack.c.id).where(below, is_other, stack.c.deleted_at.is_(None))
    ids = list(connection.execute(query.order_by(stack.c.number).with_for_update()).scalars())
    if ids:
        connection.execute(
            update(stack).where(below, stack.c.deleted_at.is_(None)).values({name: authority_id})
        )
    setattr(whose, name, authority_id)


def wake_waiting(connection: Connection, *, root_id: str = "", authority_id: str = "") -> list[int]:
    """Make the nodes ready that wait for an authority, in a tree or in all stacks of an authority.

    Returns them in order.
    """
    if root_id:
        chosen = stack.c.root_id == root_id
    else:
        chosen = or_(stack.c.authority_id == authority_id, stack.c.visitor_id == authority_id)
    waiting = (
        select(version.c.id)
        .join(stack, stack.c.id == version.c.stack_id)
        .where(version.c.reason_code == ReasonCode.NO_AUTHORITY.value, chosen)
    )
    ids = list(connection.execute(waiting).scalars())
    found = parked_versions(connection, ids) if ids else []
    wake(connection, found)
    return found


def waiting_for_authority(
    connection: Connection, stacks: Iterable[Stack]
) -> dict[str, tuple[str, str]]:
    """Return what waits for an authority in stacks, by their ids: the name of a resource, and why.

    Of a root, anywhere in its tree. Cheap unless an authority is not accepted: then the versions of
    the trees that have it are looked through, those of the first thousand.
    """
    lost = select(authority.c.id).where(authority.c.state == AuthorityState.SUSPENDED.value)
    suspended = set(connection.execute(lost).scalars())
    candidates = [
        each
        for each in stacks
        if each.deleted_at is None
        and (
            each.authority_id in suspended
            or each.visitor_id in suspended
            or (each.authority_id is None and each.status is Status.IN_PROGRESS)
        )
    ][:_MOST_TREES]
    if not candidates:
        return {}
    query = (
        select(version.c.root_id, version.c.stack_id, version.c.name, version.c.reason)
        .where(
            version.c.root_id.in_({each.root_id for each in candidates}),
            version.c.reason_code == ReasonCode.NO_AUTHORITY.value,
        )
        .order_by(version.c.id.desc())
    )
    found: dict[str, tuple[str, str]] = {}
    for root_id, stack_id, name, reason in connection.execute(query):
        found[root_id] = found[stack_id] = (name, reason)
    return {each.id: found[each.id] for each in candidates if each.id in found}


def suspend_authority(connection: Connection, authority_id: str, reason: str, now: float) -> bool:
    """Note that nothing of an authority is accepted; tell whether that is news."""
    is_other = or_(
        authority.c.state == AuthorityState.GOOD.value,
        and_(authority.c.state == AuthorityState.SUSPENDED.value, authority.c.reason != reason),
    )
    return _set_state(connection, authority_id, is_other, AuthorityState.SUSPENDED, reason, now)


def restore_authority(connection: Connection, authority_id: str, now: float) -> bool:
    """Note that an authority is accepted again; what waited for it is woken."""
    was_suspended = authority.c.state == AuthorityState.SUSPENDED.value
    if not _set_state(connection, authority_id, was_suspended, AuthorityState.GOOD, "", now):
        return False
    wake_waiting(connection, authority_id=authority_id)
    return True


def keep_trust(
    connection: Connection, authority_id: str, trust: str, fault: str, instead_of: str = ""
) -> bool:
    """Note the trust that was made for an authority, or why none could be.

    False if the authority has another one by now than it had, ``instead_of``: that one stays, and
    the new one is of no use.
    """
    query = select(authority).where(authority.c.id == authority_id).with_for_update()
    row = connection.execute(query).first()
    if row is None:
        return False
    seals = seals_of(connection, row.project)
    if trust and seals.open(_TRUST, row.id, row.trust) not in ("", instead_of):
        return False
    values: dict[str, Any] = {"trust_fault": fault}
    if trust:
        values["trust"] = seals.seal(_TRUST, authority_id, trust)
    connection.execute(update(authority).where(authority.c.id == authority_id).values(values))
    return True


def touch_trusted(connection: Connection, authority_id: str, now: float) -> bool:
    """Note that a good authority with a trust is about to be used; False if it is none."""
    is_trusted = and_(authority.c.state == AuthorityState.GOOD.value, authority.c.trust != "")
    changed = connection.execute(
        update(authority).where(authority.c.id == authority_id, is_trusted).values(changed_at=now)
    )
    return bool(changed.rowcount)


def end_unused(connection: Connection, now: float, grace: float = 0.0) -> list[Authority]:
    """Mark the authorities that no stack uses as ending; return all that are ending.

    One that was put or touched within the ``grace`` may be that of a stack that is about to be
    stored.
    """
    changed_at = authority.c.changed_at
    is_new = and_(changed_at > now - grace, changed_at <= now + grace)
    unused = select(authority.c.id).where(~_IS_USED, ~is_new)
    for each in list(connection.execute(unused).scalars()):
        # Locked first, looked at again then: a stack may have been given it meanwhile.
        query = select(authority.c.state).where(authority.c.id == each).with_for_update()
        if connection.execute(query).scalar() is None:
            continue
        if connection.execute(unused.where(authority.c.id == each)).first() is not None:
            ending = {"state": AuthorityState.ENDING.value, "changed_at": now}
            is_news = authority.c.state != AuthorityState.ENDING.value
            connection.execute(
                update(authority).where(authority.c.id == each, is_news).values(ending)
            )
    query = select(authority).where(authority.c.state == AuthorityState.ENDING.value)
    return [_opened(connection, row) for row in connection.execute(query).all()]


def remove_authority(connection: Connection, authority_id: str) -> bool:
    """Remove an authority that is still ending; one that a stack was given meanwhile stays."""
    is_ending = authority.c.state == AuthorityState.ENDING.value
    return bool(
        connection.execute(
            delete(authority).where(authority.c.id == authority_id, is_ending)
        ).rowcount
    )


def note_ending(connection: Connection, authority_id: str, reason: str) -> None:
    """Note why an authority that is ending cannot be removed yet."""
    is_ending = authority.c.state == AuthorityState.ENDING.value
    connection.execute(
        update(authority).where(authority.c.id == authority_id, is_ending).values(reason=reason)
    )


def forget_tokens(connection: Connection, now: float) -> int:
    """Remove expired tokens of authorities for whose stacks nothing is going on; return how many.

    Nothing begins with an expired token; what began while it was good may still need it.
    """
    at_work = exists().where(_USES, stack.c.status == Status.IN_PROGRESS.value)
    query = select(authority.c.id).where(
        authority.c.token != "", authority.c.token_expires < now, ~at_work
    )
    ids = list(connection.execute(query).scalars())
    for each in ids:
        is_old = authority.c.token_expires < now
        connection.execute(update(authority).where(authority.c.id == each, is_old).values(token=""))
    return len(ids)


def list_authorities(connection: Connection) -> list[ListedAuthority]:
    """Return all authorities by project and user, with the number of their root stacks."""
    number = select(func.count()).where(_USES, stack.c.parent_id.is_(None)).scalar_subquery()
    order = (authority.c.project, authority.c.user_name, authority.c.id)
    rows = connection.execute(select(authority, number.label("stacks")).order_by(*order)).all()
    return [
        ListedAuthority(_shown(row), bool(row.token), bool(row.trust), int(row.stacks))
        for row in rows
    ]


def _set_state(
    connection: Connection,
    authority_id: str,
    condition: Any,
    state: AuthorityState,
    reason: str,
    now: float,
) -> bool:
    values = {"state": state.value, "reason": reason, "changed_at": now}
    changed = connection.execute(
        update(authority).where(authority.c.id == authority_id, condition).values(values)
    )
    return bool(changed.rowcount)


def _row(connection: Connection, item: Authority) -> dict[str, Any]:
    seals = seals_of(connection, item.project)
    return {
        "id": item.id,
        "user_id": item.user_id,
        "user_name": item.user_name,
        "user_domain": item.user_domain,
        "project": item.project,
        "project_name": item.project_name,
        "roles": json.dumps(item.roles),
        "region": item.region,
        "is_delegated": item.is_delegated,
        "token": seals.seal(_TOKEN, item.id, item.token),
        "token_expires": item.token_expires,
        "catalog": json.dumps([dict(each) for each in item.catalog]),
        "trust": seals.seal(_TRUST, item.id, item.trust),
        "trust_fault": item.trust_fault,
        "state": item.state.value,
        "reason": item.reason,
        "created_at": item.created_at,
        "changed_at": item.changed_at,
    }


def _shown(row: Any) -> Authority:
    """Return an authority without its secrets: no key is needed."""
    return Authority(
        id=row.id,
        user_id=row.user_id,
        user_name=row.user_name,
        user_domain=row.user_domain,
        project=row.project,
        project_name=row.project_name,
        roles=tuple(json.loads(row.roles)),
        region=row.region,
        is_delegated=bool(row.is_delegated),
        token_expires=row.token_expires,
        trust_fault=row.trust_fault,
        state=AuthorityState(row.state),
        reason=row.reason,
        created_at=row.created_at,
        changed_at=row.changed_at,
    )


def _opened(connection: Connection, row: Any) -> Authority:
    seals = seals_of(connection, row.project)
    return replace(
        _shown(row),
        token=seals.open(_TOKEN, row.id, row.token),
        catalog=tuple(json.loads(row.catalog)),
        trust=seals.open(_TRUST, row.id, row.trust),
    )
