"""Workflows, workbooks and ad-hoc actions: texts that are sent, checked, kept and listed."""

from collections.abc import Callable, Mapping
from typing import Any

from starlette.responses import Response

from hotplate.api.http.endpoint import Call, Endpoint, Handler, empty_answer, json_answer
from hotplate.api.http.faults import bad_request
from hotplate.api.http.fields import Query
from hotplate.api.http.shapes import listed, record
from hotplate.api.workflows.documents import (
    Document,
    action_document,
    listed_workflow_document,
    standard_action_document,
    workbook_document,
    workflow_document,
)
from hotplate.api.workflows.listing import (
    FIELDS,
    List,
    chosen_answer,
    list_answer,
    page_answer,
    wanted_order,
)
from hotplate.api.workflows.reading import only_administrators_publish
from hotplate.api.workflows.shapes import ACTION, VALIDITY, WORKBOOK, WORKFLOW, page_of
from hotplate.document import InvalidDocument
from hotplate.store.workflows.definitions import Definition, DefinitionKind, definition_from
from hotplate.store.workflows.listing import ListQuery
from hotplate.workflow.engine import Place, Unknown

_NAMESPACE = Query("namespace", description="Where names are unique; none by default.")
_SCOPE = Query("scope", description="private, or public for all projects to see.")
_PLACED = (_NAMESPACE, _SCOPE)
_YAML = "The definition in YAML, in Mistral's language of version 2.0."
_COLUMNS = {
    name: name
    for name in (
        "id",
        "name",
        "namespace",
        "definition",
        "scope",
        "tags",
        "created_at",
        "updated_at",
    )
}


def _place(call: Call) -> Place:
    namespace = call.query.get("namespace", "")
    if len(namespace) > 255:
        raise bad_request("the namespace is longer than 255 characters")
    scope = call.query.get("scope", "private")
    only_administrators_publish(call, scope)
    return Place(call.project, namespace, scope)


def _text(call: Call) -> str:
    if not call.text.strip():
        raise bad_request("the request needs a body: a definition in YAML")
    return call.text


def _create(kind: DefinitionKind, answer: Callable[[list[Definition]], Any]) -> Handler:
    async def create(call: Call) -> Response:
        made = await call.workflows.definitions.create(kind, _text(call), _place(call))
        return json_answer(answer(made), 201)

    return create


def _update(kind: DefinitionKind, answer: Callable[[list[Definition]], Any]) -> Handler:
    async def update(call: Call) -> Response:
        made = await call.workflows.definitions.update(kind, _text(call), _place(call))
        return json_answer(answer(made))

    return update


def _validate(kind: DefinitionKind) -> Handler:
    async def validate(call: Call) -> Response:
        try:
            await call.workflows.definitions.check(kind, call.text)
        except InvalidDocument as error:
            return json_answer({"valid": False, "error": f"Invalid DSL: {error}"})
        return json_answer({"valid": True})

    return validate


def _show(kind: DefinitionKind, document: Callable[[Definition], Document]) -> Handler:
    async def show(call: Call) -> Response:
        found = await call.workflows.definitions.find(
            kind, call.project, call.path["identifier"], call.query.get("namespace", "")
        )
        return chosen_answer(call, document(found))

    return show


def _delete(kind: DefinitionKind) -> Handler:
    async def delete(call: Call) -> Response:
        await call.workflows.definitions.delete(
            kind, call.project, call.path["identifier"], call.query.get("namespace", "")
        )
        return empty_answer(204)

    return delete


async def _update_one(call: Call) -> Response:
    found = await call.workflows.definitions.update_one(
        DefinitionKind.WORKFLOW, _text(call), _place(call), call.path["identifier"]
    )
    return json_answer(listed_workflow_document(found))


def _workflows(made: list[Definition]) -> Any:
    return {"workflows": [workflow_document(item) for item in made]}


def _actions(made: list[Definition]) -> Any:
    return {"actions": [action_document(item) for item in made]}


def _workbook(made: list[Definition]) -> Any:
    return workbook_document(made[0])


def _of_row(document: Callable[[Definition], Document]) -> Callable[[Mapping[str, Any]], Document]:
    return lambda row: document(definition_from(row))


_WORKFLOW_LIST = List("workflows", _COLUMNS, _of_row(listed_workflow_document), is_shared=True)
_WORKBOOK_LIST = List("workbooks", _COLUMNS, _of_row(workbook_document), is_shared=True)
_ACTION_LIST = List(
    "actions",
    _COLUMNS | {"description": "description", "input": "input", "is_system": "is_system"},
    _of_row(action_document),
    is_shared=True,
)


async def _list_workflows(call: Call) -> Response:
    return await list_answer(call, _WORKFLOW_LIST)


async def _list_workbooks(call: Call) -> Response:
    return await list_answer(call, _WORKBOOK_LIST)


async def _list_actions(call: Call) -> Response:
    """Actions of the program are not in the database, so pages are made here."""
    rows = await call.workflows.entries("actions", ListQuery(call.project, public=True))
    documents = [standard_action_document(item) for item in call.workflows.actions]
    documents += [_ACTION_LIST.document(row) for row in rows]
    for name in _ACTION_LIST.filters:
        wanted = call.query.get(name)
        if wanted is not None:
            documents = [each for each in documents if _fits(each.get(name), wanted)]
    order = wanted_order(call, _ACTION_LIST.filters)
    for name, down in reversed([*order, ("name", False)]):
        documents.sort(key=lambda each, name=name: str(each.get(name) or ""), reverse=down)  # type: ignore[misc]
    marker = call.query.get("marker")
    at = next((at for at, each in enumerate(documents) if each["id"] == marker), -1)
    documents = documents[at + 1 :]
    limit = call.query.get("limit")
    if limit == 0:
        raise bad_request("Limit must be positive: 0")
    return page_answer(call, _ACTION_LIST, documents[:limit], order)


def _fits(value: Any, wanted: str) -> bool:
    word, colon, rest = wanted.partition(":")
    shown = str(value).lower() if isinstance(value, bool) else str(value or "")
    if colon and word == "has":
        return rest in shown
    if colon and word == "neq":
        return rest != shown
    if colon and word == "in":
        return shown in rest.split(",")
    return shown == (rest if colon and word == "eq" else wanted)


async def _show_action(call: Call) -> Response:
    name = call.path["identifier"]
    standard = call.workflows.actions.find(name)
    if standard is not None:
        return chosen_answer(call, standard_action_document(standard))
    try:
        found = await call.workflows.definitions.find(
            DefinitionKind.ACTION, call.project, name, call.query.get("namespace", "")
        )
    except Unknown:
        # Asked for, it is an action; deleted, it would have been a definition.
        raise Unknown(f"Action not found [action_name={name}]") from None
    return chosen_answer(call, action_document(found))


def _of(
    kind: DefinitionKind,
    tag: str,
    name: str,
    documents: Callable[[list[Definition]], Any],
    made: Any,
) -> tuple[Endpoint, ...]:
    """Return what workflows, workbooks and actions have in common."""
    many, one = f"/{tag}", f"/{tag}/{{identifier}}"
    return (
        Endpoint(
            "POST", many, _create(kind, documents), f"Define {tag}", tag,
            query=_PLACED, takes_text=_YAML, answers={201: made}, rule=f"{tag}:create",
        ),
        Endpoint(
            "PUT", many, _update(kind, documents), f"Define {tag} anew, or for the first time", tag,
            query=_PLACED, takes_text=_YAML, answers={200: made}, rule=f"{tag}:update",
        ),
        Endpoint(
            "POST", f"/{tag}/validate", _validate(kind), f"Check a definition of {tag}", tag,
            takes_text=_YAML, answers={200: VALIDITY}, rule=f"{tag}:validate",
        ),
        Endpoint(
            "DELETE", one, _delete(kind), f"Delete {name}", tag,
            query=(_NAMESPACE,), answers={204: None}, rule=f"{tag}:delete",
        ),
    )  # fmt: skip


ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "GET", "/workflows", _list_workflows, "List workflows", "workflows",
        query=_WORKFLOW_LIST.query, answers={200: page_of("workflows", WORKFLOW)}, strict=True,
        rule="workflows:list",
    ),
    *_of(
        DefinitionKind.WORKFLOW, "workflows", "a workflow", _workflows,
        record({"workflows": listed(WORKFLOW)}),
    ),
    Endpoint(
        "GET", "/workflows/{identifier}",
        _show(DefinitionKind.WORKFLOW, listed_workflow_document), "Show a workflow", "workflows",
        query=(_NAMESPACE, *FIELDS), answers={200: WORKFLOW}, rule="workflows:get",
    ),
    Endpoint(
        "PUT", "/workflows/{identifier}", _update_one, "Define one workflow anew", "workflows",
        query=_PLACED, takes_text=_YAML, answers={200: WORKFLOW}, rule="workflows:update",
    ),
    Endpoint(
        "GET", "/workbooks", _list_workbooks, "List workbooks", "workbooks",
        query=_WORKBOOK_LIST.query, answers={200: page_of("workbooks", WORKBOOK)}, strict=True,
        rule="workbooks:list",
    ),
    *_of(DefinitionKind.WORKBOOK, "workbooks", "a workbook", _workbook, WORKBOOK),
    Endpoint(
        "GET", "/workbooks/{identifier}", _show(DefinitionKind.WORKBOOK, workbook_document),
        "Show a workbook", "workbooks", query=(_NAMESPACE, *FIELDS), answers={200: WORKBOOK},
        rule="workbooks:get",
    ),
    Endpoint(
        "GET", "/actions", _list_actions, "List actions, also those of the program", "actions",
        query=_ACTION_LIST.query, answers={200: page_of("actions", ACTION)}, strict=True,
        rule="actions:list",
    ),
    *_of(
        DefinitionKind.ACTION, "actions", "an ad-hoc action", _actions,
        record({"actions": listed(ACTION)}),
    ),
    Endpoint(
        "GET", "/actions/{identifier}", _show_action, "Show an action", "actions",
        query=(_NAMESPACE, *FIELDS), answers={200: ACTION}, rule="actions:get",
    ),
)  # fmt: skip
