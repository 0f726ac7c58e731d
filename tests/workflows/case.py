"""The cases of the differential test, and what is compared of them."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.yaml_files import read_yaml

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Case:
    """Definitions, how to start one of them, and what to do while it runs.

    ``then`` is a list of orders, each a name or a map from the name to its arguments. With
    ``says`` the run's own text is compared, too: it comes from the workflow, not from the engine.
    """

    name: str
    file: str
    workflows: str = ""
    workbook: str = ""
    actions: str = ""
    start: str = "w"
    input: dict[str, Any] = field(default_factory=dict)
    params: dict[str, Any] = field(default_factory=dict)
    then: tuple[tuple[str, Any], ...] = ()
    says: bool = False


def all_cases() -> list[Case]:
    """Return the cases of all files, in their order."""
    cases = []
    for path in sorted((HERE / "cases").glob("*.yaml")):
        for entry in read_yaml(path):
            then = tuple(
                next(iter(order.items())) if isinstance(order, dict) else (order, None)
                for order in entry.pop("then", [])
            )
            cases.append(Case(file=path.stem, then=then, **entry))
    names = [case.name for case in cases]
    assert len(names) == len(set(names)), "two cases have the same name"
    return cases


def refused(stage: str) -> dict[str, Any]:
    """Return the outcome of a case that got nowhere: its definition or its start was refused."""
    return {"refused": stage}


def outcome(
    case: Case,
    state: str,
    info: str | None,
    output: dict[str, Any],
    tasks: list[tuple[str, str]],
) -> dict[str, Any]:
    """Return what is compared of a run.

    An engine's own words are not: only whether there are some.
    """
    said = dict(output)
    if not case.says and isinstance(said.get("result"), str) and state in ("ERROR", "CANCELLED"):
        said["result"] = "words of the engine"
    found: dict[str, Any] = {"state": state, "output": said, "tasks": _by_name(tasks)}
    if case.says:
        found["state_info"] = info
    return found


def _by_name(tasks: list[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, state in sorted(tasks):
        found.setdefault(name, []).append(state)
    return found
