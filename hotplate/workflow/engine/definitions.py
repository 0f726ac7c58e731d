"""Definitions of a project: texts that are checked when they come, and found by name later."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from sqlalchemy import Connection

from hotplate.store.workflows.definitions import (
    Definition,
    DefinitionKind,
    NameTaken,
    checksum_of,
    count_definitions,
    definition_by_id,
    find_definition,
    insert_definitions,
    own_definition,
    remove_definition,
    save_definition,
)
from hotplate.workflow.engine.context import FlowTools
from hotplate.workflow.engine.refusals import (
    FlowRefused,
    Taken,
    Unknown,
    Wrong,
    limit_reached,
    no_workflow,
)
from hotplate.workflow.expressions import Expressions
from hotplate.workflow.language import (
    REQUIRED,
    AdhocAction,
    LanguageLimits,
    Workbook,
    Workflow,
    read_actions,
    read_workbook,
    read_workflows,
)

T = TypeVar("T")
_LONGEST_NAME = 255
SCOPES = ("private", "public")
_RESERVED = "std."


@dataclass(frozen=True, slots=True)
class Place:
    """Where definitions are kept: whose they are, in which namespace, and who may see them."""

    project: str
    namespace: str = ""
    scope: str = "private"


class Definitions:
    """Workflows, ad-hoc actions and workbooks. Reading a text may take seconds of a thread."""

    def __init__(
        self,
        tools: FlowTools,
        expressions: Expressions,
    ) -> None:
        self._store = tools.store
        self._settings = tools.settings
        self._now = tools.now
        self._new_id = tools.new_id
        self._in_thread = tools.in_thread
        self._expressions = expressions
        self._limits = LanguageLimits(text_bytes=tools.settings.largest_definition)

    async def check(self, kind: DefinitionKind, text: str) -> None:
        """Check a text. Raises InvalidDocument with all its faults."""
        await self._read(kind, text)

    async def create(self, kind: DefinitionKind, text: str, place: Place) -> list[Definition]:
        """Keep what a text defines. Raises InvalidDocument, Taken, or Forbidden at the limit."""
        wanted = self._wanted(await self._read(kind, text), place)
        most = self._settings.most_definitions

        def insert(connection: Connection) -> None:
            if count_definitions(connection, place.project) + len(wanted) > most:
                raise limit_reached("definitions", most)
            self._insert(connection, kind, wanted, place)

        await self._store.transact(insert)
        return wanted

    async def update(self, kind: DefinitionKind, text: str, place: Place) -> list[Definition]:
        """Keep what a text defines in place of what had the names before; new names are added."""
        wanted = self._wanted(await self._read(kind, text), place)
        most = self._settings.most_definitions

        def save(connection: Connection) -> list[Definition]:
            saved = []
            for item in wanted:
                present = own_definition(
                    connection, place.project, item.kind, item.name, place.namespace
                )
                if present is None:
                    if count_definitions(connection, place.project) >= most:
                        raise limit_reached("definitions", most)
                    self._insert(connection, kind, [item], place)
                    saved.append(item)
                    continue
                is_same = present.definition == item.definition and present.scope == item.scope
                changed_at = present.updated_at if is_same else self._now()
                merged = replace(
                    item, id=present.id, created_at=present.created_at, updated_at=changed_at
                )
                save_definition(connection, merged)
                saved.append(merged)
            return saved

        return await self._store.transact(save)

    async def update_one(
        self, kind: DefinitionKind, text: str, place: Place, identifier: str
    ) -> Definition:
        """Keep a text with one workflow in place of the one that is named, perhaps by its id."""
        present = await self.find(kind, place.project, identifier, place.namespace)
        wanted = self._wanted(await self._read(kind, text), place)
        if len(wanted) != 1:
            raise Wrong("More than one workflows are not supported for update.")
        if present.project != place.project:
            raise self._unknown(kind, identifier, place.namespace)
        merged = replace(
            wanted[0],
            id=present.id,
            name=present.name,
            created_at=present.created_at,
            updated_at=self._now(),
        )
        if wanted[0].name != present.name:
            raise Wrong(
                f"The text defines {wanted[0].name}, and not {present.name}; a name cannot change"
            )
        if not await self._store.transact(lambda connection: save_definition(connection, merged)):
            raise self._unknown(kind, identifier, place.namespace)
        return merged

    async def find(
        self, kind: DefinitionKind, project: str, identifier: str, namespace: str = ""
    ) -> Definition:
        """Return a definition by its id or its name. Raises Unknown."""

        def find(connection: Connection) -> Definition | None:
            return definition_by_id(connection, project, kind, identifier) or find_definition(
                connection, project, kind, identifier, namespace
            )

        found = await self._store.read(find)
        if found is None:
            raise self._unknown(kind, identifier, namespace)
        return found

    async def delete(
        self, kind: DefinitionKind, project: str, identifier: str, namespace: str = ""
    ) -> None:
        """Remove a definition of the project. Raises Unknown."""

        def remove(connection: Connection) -> bool:
            found = own_definition(connection, project, kind, identifier, namespace)
            found = found or definition_by_id(connection, project, kind, identifier)
            if found is None or found.project != project:
                return False
            remove_definition(connection, found.id)
            return True

        if not await self._store.transact(remove):
            raise self._unknown(kind, identifier, namespace)

    def _insert(
        self, connection: Connection, kind: DefinitionKind, wanted: list[Definition], place: Place
    ) -> None:
        try:
            insert_definitions(connection, wanted)
        except NameTaken as error:
            raise self._taken(kind, error.name, place) from None

    async def _read(
        self, kind: DefinitionKind, text: str
    ) -> tuple[Workflow, ...] | tuple[AdhocAction, ...] | Workbook:
        read: Callable[..., Any] = _READ[kind]
        return await self._in_thread(lambda: read(text, self._expressions.check, self._limits))

    def _wanted(
        self, found: Sequence[Workflow] | Sequence[AdhocAction] | Workbook, place: Place
    ) -> list[Definition]:
        if isinstance(found, Workbook):
            book = self._definition(DefinitionKind.WORKBOOK, place, found.name, found.text)
            book = replace(book, description=found.description, tags=found.tags)
            return [book, *map(self._of(place), (*found.workflows, *found.actions))]
        return [*map(self._of(place), found)]

    def _of(self, place: Place) -> Callable[[Any], Definition]:
        def definition(item: Workflow | AdhocAction) -> Definition:
            is_flow = isinstance(item, Workflow)
            kind = DefinitionKind.WORKFLOW if is_flow else DefinitionKind.ACTION
            made = self._definition(kind, place, item.name, item.text)
            return replace(
                made,
                workbook=item.workbook,
                description=item.description,
                tags=item.tags,
                input=[
                    name if default is REQUIRED else {name: default}
                    for name, default in item.inputs.items()
                ],
                output=tuple(map(str, item.output)) if isinstance(item, Workflow) else (),
                checksum=checksum_of(item.text),
            )

        return definition

    def _definition(self, kind: DefinitionKind, place: Place, name: str, text: str) -> Definition:
        if len(name) > _LONGEST_NAME:
            raise Wrong(f"The name {name[:60]}... is longer than {_LONGEST_NAME} characters")
        if name.startswith(_RESERVED):
            raise Wrong(f'The name {name} is reserved: those of built-in actions begin with "std."')
        if place.scope not in SCOPES:
            raise Wrong(
                f"Scope must be one of the following: {', '.join(SCOPES)}; actual: {place.scope}"
            )
        return Definition(
            self._new_id(),
            kind,
            place.project,
            name,
            text,
            place.namespace,
            scope=place.scope,
            created_at=self._now(),
        )

    def _taken(self, kind: DefinitionKind, name: str, place: Place) -> Taken:
        return Taken(
            f"Duplicate entry for {_CLASSES[kind]} ['name', 'namespace', 'project_id']: "
            f"{name}, {place.namespace}, {place.project}"
        )

    def _unknown(self, kind: DefinitionKind, name: str, namespace: str) -> FlowRefused:
        if kind is DefinitionKind.WORKFLOW:
            return no_workflow(name, namespace)
        if kind is DefinitionKind.ACTION:
            return Unknown(
                f"Action definition not found [action_name={name}, namespace={namespace}]"
            )
        return Unknown(f"Workbook not found [workbook_name={name}, namespace={namespace}]")


_READ: dict[DefinitionKind, Callable[..., Any]] = {
    DefinitionKind.WORKFLOW: read_workflows,
    DefinitionKind.ACTION: read_actions,
    DefinitionKind.WORKBOOK: read_workbook,
}
_CLASSES = {
    DefinitionKind.WORKFLOW: "WorkflowDefinition",
    DefinitionKind.ACTION: "ActionDefinition",
    DefinitionKind.WORKBOOK: "WorkbookDefinition",
}
