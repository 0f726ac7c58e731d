"""The ways in: text to workflows, workbooks or ad-hoc actions."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

import yaml

from hotplate.document import Document, InvalidDocument, Limits, Path, Problem, parse
from hotplate.workflow.language.definition import AdhocAction, Workbook, Workflow
from hotplate.workflow.language.faults import Check, Faults
from hotplate.workflow.language.inline import BadCall, split_call
from hotplate.workflow.language.remembered import Remembered
from hotplate.workflow.language.workflows import read_inputs, read_workflow

ItemT = TypeVar("ItemT", Workflow, AdhocAction)
DoneT = TypeVar("DoneT")

_ACTION_KEYS: Final = (
    "name",
    "version",
    "description",
    "tags",
    "base",
    "base-input",
    "input",
    "output",
)
_WORKBOOK_KEYS: Final = ("name", "version", "description", "tags", "actions", "workflows")


@dataclass(frozen=True, slots=True)
class LanguageLimits:
    """Bounds on definitions."""

    text_bytes: int = 2 * 1024 * 1024
    items: int = 500
    """Workflows or actions of one document."""
    tasks: int = 1000
    """Tasks of one workflow."""
    expressions: int = 5_000
    """Texts with expressions in one document."""
    expression_characters: int = 500_000
    """Characters of those texts together."""
    nodes: int = 200_000
    """Values and keys of one document, aliases written out."""


DEFAULT_LIMITS: Final = LanguageLimits()

STORED_LIMITS: Final = LanguageLimits(text_bytes=sys.maxsize)
"""For a text that was accepted: it may have been by another limit, and written out since."""


def read_workflows(
    text: str, check: Check, limits: LanguageLimits = DEFAULT_LIMITS
) -> tuple[Workflow, ...]:
    """Return the workflows of a list. Raises InvalidDocument with all faults."""
    reader = _Reader(text, "workflow", check, limits)
    workflows = tuple(reader.workflows(reader.items(reader.top, ()), ()))
    return reader.done(tuple(_with_text(w, text, len(workflows) == 1) for w in workflows))


def read_workbook(text: str, check: Check, limits: LanguageLimits = DEFAULT_LIMITS) -> Workbook:
    """Return a workbook; its workflows and actions are called ``book.name``."""
    reader = _Reader(text, "workbook", check, limits)
    return reader.done(reader.workbook(text))


def read_actions(
    text: str, check: Check, limits: LanguageLimits = DEFAULT_LIMITS
) -> tuple[AdhocAction, ...]:
    """Return the ad-hoc actions of a list. Raises InvalidDocument with all faults."""
    reader = _Reader(text, "actions", check, limits)
    actions = tuple(reader.actions(reader.items(reader.top, ()), ()))
    return reader.done(tuple(_with_text(a, text, len(actions) == 1) for a in actions))


_WORKFLOWS: Final = Remembered[Workflow]()


def workflow_of(text: str, name: str, workbook: str = "") -> Workflow:
    """Return the workflow that a run keeps the text of, without checking expressions again.

    The last few hundred are remembered, therefore a machine can be loaded cheaply. Raises
    InvalidDocument if the text holds no such workflow.
    """
    return _WORKFLOWS.get((text, name, workbook), lambda: _workflow_in(text, name, workbook))


def _workflow_in(text: str, name: str, workbook: str) -> Workflow:
    own = name.removeprefix(f"{workbook}.") if workbook else name
    for workflow in read_workflows(text, unchecked, STORED_LIMITS):
        if workflow.name == own:
            return replace(workflow, name=name, workbook=workbook, text=text)
    raise InvalidDocument([Problem(f'the text has no workflow "{own}"')])


def unchecked(_: Any) -> None:
    """Take all expressions for good ones: they were checked when they came."""


def _with_text(item: ItemT, text: str, alone: bool) -> ItemT:
    return replace(item, text=text if alone else text_of(item.name, item.data))


def text_of(name: str, data: dict[str, Any]) -> str:
    """Return a document with this one workflow or action, which reads back to the same."""
    document = {"version": "2.0", name: data}
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100)


class _Reader:
    def __init__(self, text: str, name: str, check: Check, limits: LanguageLimits) -> None:
        self._limits = limits
        bounds = Limits(text_bytes=limits.text_bytes, nodes=limits.nodes, depth=100)
        self._document: Document = parse(text, name, bounds)
        most = limits.expressions, limits.expression_characters
        self._faults = Faults(check, *most)
        if not isinstance(self._document.data, dict):
            raise InvalidDocument([Problem(f"a {name} must be a map", file=name)])
        self.top: dict[str, Any] = self._document.data
        self._version()

    def done(self, result: DoneT) -> DoneT:
        """Return the result, or raise all faults with their places."""
        problems = self._faults.problems
        if problems:
            raise InvalidDocument(self._document.placed(problem) for problem in problems)
        return result

    def _version(self) -> None:
        if str(self.top.get("version")) not in ("2.0", "2"):
            hint = "write \"version: '2.0'\" at the top"
            self._faults.add("this is not version 2.0 of the language", ("version",), hint)

    def items(self, data: Any, path: Path) -> list[tuple[str, Any]]:
        """Return the entries of a list of definitions: all but the version."""
        entries = self._faults.a_map(data, path, "this")
        items = [(name, value) for name, value in entries.items() if name != "version"]
        if not items:
            self._faults.add("there must be at least one definition", path)
        if len(items) > self._limits.items:
            most = self._limits.items
            self._faults.add(f"{len(items)} definitions are more than {most}", path)
            return []
        return items

    def workflows(self, items: list[tuple[str, Any]], path: Path) -> Iterator[Workflow]:
        """Yield workflows with their names as written."""
        for name, value in items:
            most = self._limits.tasks
            found = read_workflow(name, value, (*path, name), self._faults, most)
            if found is not None:
                yield found

    def actions(self, items: list[tuple[str, Any]], path: Path) -> Iterator[AdhocAction]:
        """Yield ad-hoc actions with their names as written."""
        for name, value in items:
            here = (*path, name)
            data = self._faults.a_map(value, here, f'the action "{name}"')
            self._faults.name(name, here, "an action")
            self._faults.keys(data, _ACTION_KEYS, here, "an ad-hoc action")
            yield self._action(name, data, here)

    def _action(self, name: str, data: dict[str, Any], path: Path) -> AdhocAction:
        faults = self._faults
        text = faults.text(data.get("base"), (*path, "base"), "base")
        base, inline = text, dict[str, Any]()
        try:
            base, inline = split_call(text) if text else ("", {})
        except BadCall as error:
            faults.add(str(error), (*path, "base"))
        given = faults.a_map(data.get("base-input"), (*path, "base-input"), "base-input")
        return AdhocAction(
            name=name,
            base=base,
            base_input=faults.expressions({**given, **inline}, (*path, "base-input")),
            inputs=read_inputs(data.get("input"), (*path, "input"), faults),
            output=faults.expressions(data.get("output"), (*path, "output")),
            description=str(data.get("description") or ""),
            tags=faults.texts(data.get("tags"), (*path, "tags"), "tags"),
            data=data,
        )

    def workbook(self, text: str) -> Workbook:
        """Return the workbook that the document is."""
        faults = self._faults
        faults.keys(self.top, _WORKBOOK_KEYS, (), "a workbook")
        name = faults.text(self.top.get("name"), ("name",), "the name of a workbook")
        workflows: tuple[Workflow, ...] = ()
        actions: tuple[AdhocAction, ...] = ()
        if self.top.get("workflows") is not None:
            items = self.items(self.top["workflows"], ("workflows",))
            workflows = tuple(self.workflows(items, ("workflows",)))
        if self.top.get("actions") is not None:
            items = self.items(self.top["actions"], ("actions",))
            actions = tuple(self.actions(items, ("actions",)))
        return Workbook(
            name=name,
            workflows=tuple(_of_book(w, name) for w in workflows),
            actions=tuple(_of_book(a, name) for a in actions),
            description=str(self.top.get("description") or ""),
            tags=faults.texts(self.top.get("tags"), ("tags",), "tags"),
            text=text,
        )


def _of_book(item: ItemT, book: str) -> ItemT:
    text = text_of(item.name, item.data)
    return replace(item, name=f"{book}.{item.name}", workbook=book, text=text)
