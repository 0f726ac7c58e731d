"""Rows as Mistral's API shows them. Maps are texts of JSON inside the JSON, as clients expect."""

import json
from collections.abc import Mapping
from typing import Any

from hotplate.store.workflows.definitions import Definition, StoredEnvironment, Trigger
from hotplate.workflow.actions import Action
from hotplate.workflow.engine import written_time

Document = dict[str, Any]


def execution_document(row: Mapping[str, Any]) -> Document:
    """Return an execution."""
    details = json.loads(row["details"])
    return {
        "id": row["id"],
        "workflow_id": row["workflow_id"],
        "workflow_name": row["workflow_name"],
        "workflow_namespace": row["namespace"],
        "description": row["description"],
        "tags": json.loads(row["tags"]),
        "params": row["params"],
        "task_execution_id": row["task_id"],
        "root_execution_id": None if row["tree"] == row["id"] else row["tree"],
        "state": row["state"],
        "state_info": row["state_info"],
        "input": row["input"],
        "output": row["output"],
        "published_global": json.dumps(details.get("globals", {})),
        "created_at": written_time(row["created_at"]),
        "updated_at": written_time(row["updated_at"]),
        "project_id": row["project"],
    }


def task_document(row: Mapping[str, Any]) -> Document:
    """Return a task without its result."""
    return {
        "id": row["id"],
        "name": row["name"],
        "type": row["kind"],
        "workflow_name": row["workflow_name"],
        "workflow_namespace": row["namespace"],
        "workflow_id": row["workflow_id"],
        "workflow_execution_id": row["execution_id"],
        "tags": [],
        "state": row["state"],
        "state_info": row["state_info"],
        "project_id": row["project"],
        "runtime_context": task_context(row),
        "published": row["published"],
        "processed": bool(row["processed"]),
        "created_at": written_time(row["created_at"]),
        "updated_at": written_time(row["updated_at"]),
        "started_at": written_time(row["started_at"]),
        "finished_at": written_time(row["finished_at"]),
    }


def task_context(row: Mapping[str, Any]) -> str:
    """Return what led to a task, and how far its items and tries are."""
    details = json.loads(row["details"])
    shown: Document = {}
    if details.get("triggered_by"):
        shown["triggered_by"] = details["triggered_by"]
    if details.get("items") is not None:
        count = len(details["items"])
        shown["with_items"] = {"capacity": details.get("concurrency"), "count": count}
    if details.get("retries"):
        shown["retry_task_policy"] = {"retry_no": details["retries"]}
    return json.dumps(shown)


def action_execution_document(row: Mapping[str, Any]) -> Document:
    """Return an action that was performed, or is being."""
    return {
        "id": row["id"],
        "workflow_name": row["workflow_name"],
        "workflow_namespace": row["namespace"] or "",
        "task_name": row["task_name"],
        "task_execution_id": row["task_id"],
        "state": row["state"],
        "state_info": None,
        "tags": None,
        "name": row["name"],
        "description": "",
        "project_id": row["project"],
        "accepted": bool(row["accepted"]),
        "input": row["input"],
        "output": row["output"],
        "created_at": written_time(row["created_at"]),
        "updated_at": written_time(row["updated_at"]),
    }


def workflow_document(item: Definition) -> Document:
    """Return a workflow; ``interface`` as a map."""
    return {
        "id": item.id,
        "name": item.name,
        "namespace": item.namespace,
        "input": input_text(item.input),
        "interface": {"input": item.input, "output": list(item.output)},
        "definition": item.definition,
        "checksum": item.checksum,
        "tags": list(item.tags),
        "scope": item.scope,
        "project_id": item.project,
        "created_at": written_time(item.created_at),
        "updated_at": written_time(item.updated_at),
    }


def listed_workflow_document(item: Definition) -> Document:
    """Return a workflow as it is shown when it is asked for; ``interface`` is a text of JSON."""
    document = workflow_document(item)
    document["interface"] = json.dumps(document["interface"])
    return document


def workbook_document(item: Definition) -> Document:
    """Return a workbook."""
    return {
        "id": item.id,
        "name": item.name,
        "namespace": item.namespace,
        "definition": item.definition,
        "tags": list(item.tags),
        "scope": item.scope,
        "project_id": item.project,
        "created_at": written_time(item.created_at),
        "updated_at": written_time(item.updated_at),
    }


def action_document(item: Definition) -> Document:
    """Return an ad-hoc action."""
    return {
        "id": item.id,
        "name": item.name,
        "namespace": item.namespace,
        "is_system": False,
        "input": input_text(item.input),
        "description": item.description,
        "tags": list(item.tags),
        "definition": item.definition,
        "scope": item.scope,
        "project_id": item.project,
        "created_at": written_time(item.created_at),
        "updated_at": written_time(item.updated_at),
    }


def standard_action_document(item: Action) -> Document:
    """Return an action that the program brings along."""
    return {
        "id": item.name,
        "name": item.name,
        "namespace": "",
        "is_system": True,
        "input": item.signature,
        "description": item.description,
        "tags": None,
        "definition": "",
        "scope": "public",
        "project_id": None,
        "created_at": None,
        "updated_at": None,
    }


def environment_document(item: StoredEnvironment) -> Document:
    """Return an environment."""
    return {
        "id": item.id,
        "name": item.name,
        "description": item.description,
        "variables": json.dumps(item.variables),
        "scope": item.scope,
        "project_id": item.project,
        "created_at": written_time(item.created_at),
        "updated_at": written_time(item.updated_at),
    }


def trigger_document(item: Trigger) -> Document:
    """Return a cron trigger."""
    return {
        "id": item.id,
        "name": item.name,
        "workflow_name": item.workflow_name,
        "workflow_id": item.workflow_id,
        "workflow_input": json.dumps(item.workflow_input),
        "workflow_params": json.dumps(item.workflow_params),
        "project_id": item.project,
        "scope": item.scope,
        "pattern": item.pattern,
        "remaining_executions": item.remaining,
        "first_execution_time": written_time(item.first_at),
        "next_execution_time": written_time(item.next_at),
        "created_at": written_time(item.created_at),
        "updated_at": written_time(item.updated_at),
    }


def input_text(inputs: list[Any]) -> str:
    """Return inputs as one line: names, and defaults behind those that have one."""
    shown: list[str] = []
    for each in inputs:
        if isinstance(each, dict):
            shown.extend(f'{name}="{default}"' for name, default in each.items())
        else:
            shown.append(str(each))
    return ", ".join(shown)
