"""Parts of a task: what follows it, what it publishes, how it is run."""

from typing import Any, Final

from hotplate.document import Path
from hotplate.workflow.language.definition import (
    Clause,
    Event,
    Policies,
    Publish,
    Retry,
    Target,
)
from hotplate.workflow.language.faults import Faults
from hotplate.workflow.language.inline import BadCall, split_call, split_parameters

POLICY_KEYS: Final = (
    "retry",
    "wait-before",
    "wait-after",
    "timeout",
    "pause-before",
    "concurrency",
    "fail-on",
    "safe-rerun",
)
CLAUSE_KEYS: Final = tuple(event.value for event in Event)
_RETRY_KEYS: Final = ("count", "delay", "break-on", "continue-on")


def read_clauses(data: dict[str, Any], path: Path, faults: Faults) -> dict[Event, Clause]:
    """Return the clauses that a task, or task-defaults, give."""
    return {
        event: _clause(data[event.value], (*path, event.value), faults)
        for event in Event
        if data.get(event.value) is not None
    }


def _clause(value: Any, path: Path, faults: Faults) -> Clause:
    if isinstance(value, dict) and ("publish" in value or "next" in value):
        faults.keys(value, ("publish", "next"), path, "this clause")
        publish = None
        if value.get("publish") is not None:
            publish = _scopes(value["publish"], (*path, "publish"), faults)
        return Clause(_targets(value.get("next"), (*path, "next"), faults), publish)
    return Clause(_targets(value, path, faults))


def _scopes(value: Any, path: Path, faults: Faults) -> Publish:
    data = faults.a_map(value, path, "publish")
    scopes = ("branch", "global", "atomic")
    faults.keys(data, scopes, path, "publish in a clause")
    if not any(data.get(scope) for scope in scopes):
        faults.add("publish in a clause needs branch, global or atomic", path)
    return Publish(
        *(
            faults.expressions(
                faults.a_map(data.get(scope), (*path, scope), f"publish.{scope}"), (*path, scope)
            )
            for scope in scopes
        )
    )


def _targets(value: Any, path: Path, faults: Faults) -> tuple[Target, ...]:
    if value is None:
        return ()
    entries = value if isinstance(value, list) else [value]
    targets: list[Target] = []
    for index, entry in enumerate(entries):
        here = (*path, index) if isinstance(value, list) else path
        if isinstance(entry, str):
            pairs = [(entry, None)]
        elif isinstance(entry, dict) and entry:
            pairs = list(entry.items())
        else:
            faults.add("this must be the name of a task, or a map from names to guards", here)
            continue
        for text, guard in pairs:
            there = here if isinstance(entry, str) else (*here, text)
            target = _target(text, guard, there, faults)
            if target is not None:
                targets.append(target)
    return tuple(targets)


def _target(text: str, guard: Any, path: Path, faults: Faults) -> Target | None:
    try:
        name, params = split_call(text)
    except BadCall as error:
        faults.add(str(error), path)
        return None
    faults.expressions(params, path)
    return Target(name, faults.condition(guard, path, "a guard"), params)


def read_publish(data: dict[str, Any], key: str, path: Path, faults: Faults) -> dict[str, Any]:
    """Return a simple publish: a map of variables."""
    value = faults.a_map(data.get(key), (*path, key), key)
    return dict(faults.expressions(value, (*path, key)))


def read_policies(data: dict[str, Any], path: Path, faults: Faults) -> Policies:
    """Return the policies. What is 0, false or empty counts as not given."""

    def number(key: str) -> Any:
        return faults.number(data.get(key), (*path, key), key) or None

    return Policies(
        pause_before=faults.boolean(data.get("pause-before"), (*path, "pause-before"), "this")
        or None,
        wait_before=number("wait-before"),
        wait_after=number("wait-after"),
        fail_on=faults.boolean(data.get("fail-on"), (*path, "fail-on"), "fail-on") or None,
        retry=_retry(data.get("retry"), (*path, "retry"), faults),
        timeout=number("timeout"),
        concurrency=number("concurrency"),
        safe_rerun=faults.boolean(data.get("safe-rerun"), (*path, "safe-rerun"), "safe-rerun"),
    )


def _retry(value: Any, path: Path, faults: Faults) -> Retry | None:
    if not value:
        return None
    if isinstance(value, str):
        try:
            value = split_parameters(value)
        except BadCall as error:
            faults.add(str(error), path, "write retry as count=3 delay=1")
            return None
    data = faults.a_map(value, path, "retry")
    faults.keys(data, _RETRY_KEYS, path, "retry")
    for key in ("count", "delay"):
        if data.get(key) is None:
            faults.add(f"retry needs {key}", path)
    return Retry(
        faults.number(data.get("count"), (*path, "count"), "count") or 0,
        faults.number(data.get("delay"), (*path, "delay"), "delay") or 0,
        faults.condition(data.get("break-on"), (*path, "break-on"), "break-on"),
        faults.condition(data.get("continue-on"), (*path, "continue-on"), "continue-on"),
    )


def with_defaults(own: Policies, defaults: Policies) -> Policies:
    """Return the task's policies, those not given taken from the task-defaults."""
    return Policies(
        *(
            mine if mine is not None else theirs
            for mine, theirs in (
                (own.pause_before, defaults.pause_before),
                (own.wait_before, defaults.wait_before),
                (own.wait_after, defaults.wait_after),
                (own.fail_on, defaults.fail_on),
                (own.retry, defaults.retry),
                (own.timeout, defaults.timeout),
                (own.concurrency, defaults.concurrency),
                (own.safe_rerun, defaults.safe_rerun),
            )
        )
    )
