"""Arguments of calls: what a function demands of them, in one set of words."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from hotplate import secret
from hotplate.document import Data, did_you_mean
from hotplate.template.errors import BadCall, kind_of
from hotplate.template.expression import (
    Constant,
    Expression,
    entries_of,
    is_call,
    items_of,
)
from hotplate.template.site import Site

_SHOWN = 120


def positional(
    expression: Expression, least: int, most: int | None, form: str
) -> tuple[Expression, ...]:
    """Return the items of a written argument list, or refuse it and show the right form."""
    items = items_of(expression)
    if items is None:
        raise BadCall("the arguments must be a list", f"write {form}")
    if len(items) < least or (most is not None and len(items) > most):
        count = f"{least}" if least == most else f"{least} or more" if most is None else ""
        count = count or f"{least} to {most}"
        superfluous = (most,) if most is not None and len(items) > most else ()
        raise BadCall(f"takes {count} arguments, {len(items)} given", f"write {form}", superfluous)
    return items


def named(expression: Expression, required: Collection[str], form: str) -> Mapping[str, Expression]:
    """Return the entries of a written argument map, or refuse it and show the right form."""
    entries = entries_of(expression)
    if entries is None:
        raise BadCall("the arguments must be a map", f"write {form}")
    for key in required:
        if key not in entries:
            raise BadCall(f'the argument "{key}" is missing', f"write {form}")
    return entries


def refuse_unknown(entries: Mapping[str, Expression], known: Collection[str], form: str) -> None:
    """Refuse an argument that the function does not have."""
    for key in entries:
        if key not in known:
            hint = did_you_mean(key, known) or f"write {form}"
            raise BadCall(f'there is no argument "{key}"', hint, (key,))


def warn_of_unknown(entries: Mapping[str, Expression], known: Collection[str], site: Site) -> None:
    """Warn of an argument that Heat ignores."""
    for key in entries:
        if key not in known:
            hint = did_you_mean(key, known) or "remove it"
            site.warn(f'there is no argument "{key}", it is ignored', hint, (key,))


def must_be(expression: Expression, kinds: tuple[type, ...], what: str, *steps: str | int) -> None:
    """Refuse a written value of another kind; what a call will give is seen when it is resolved."""
    if is_call(expression):
        return
    value = written(expression)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise BadCall(f"{what}, not {kind_of(value)}", path=steps)


def must_be_list_or_empty(expression: Expression, what: str, *steps: str | int) -> None:
    """Refuse a written value that is not a list; what is empty in any way passes for none."""
    if not is_call(expression) and written(expression):
        must_be(expression, (list,), what, *steps)


def written(expression: Expression) -> Any:
    """Return the value as far as it is written down: calls inside a collection are left out."""
    if isinstance(expression, Constant):
        return expression.value
    return {} if entries_of(expression) is not None else []


def text(value: Data, what: str) -> str:
    """Return a value that must be a text."""
    if not isinstance(value, str):
        raise BadCall(f"{what} must be a text, not {kind_of(value)}")
    return value


def shown(value: Data) -> str:
    """Return a value in short, for an error text."""
    dumped = json.dumps(secret.shown(value), ensure_ascii=False)
    return dumped if len(dumped) <= _SHOWN else dumped[:_SHOWN] + "…"


def as_json(value: Data) -> str:
    """Return JSON text with sorted keys, as it stands in for a map or list inside a text."""
    return json.dumps(value, sort_keys=True)
