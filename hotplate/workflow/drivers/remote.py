"""Workflows that a Mistral elsewhere runs, by its REST API."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Final, Protocol
from urllib.parse import quote

import httpx

from hotplate.resources.lease import hold, hold_before_sending
from hotplate.workflow.drivers.driver import (
    Execution,
    ExecutionState,
    Refused,
    Start,
    StoredWorkflow,
    Trigger,
    Unreachable,
)

_SECONDS: Final = 4.0
"""A call must end before others take its caller for dead."""

_LONGEST_REASON: Final = 2000
_NOT_FOUND: Final = 404
_CONFLICT: Final = 409
_TRY_LATER: Final = (401, 408, 429, 502, 503, 504)


class Identity(Protocol):
    """Gives the headers that say who is asking."""

    async def headers(self, renew: bool) -> Mapping[str, str]:
        """Return the headers; with ``renew`` the last ones were not accepted."""
        ...


class NoIdentity:
    """For a Mistral without authentication: it knows no projects."""

    async def headers(self, renew: bool) -> Mapping[str, str]:
        return {}


class KeystoneIdentity:
    """A token of Keystone, by keystoneauth, which asks for a new one in time."""

    def __init__(self, options: Mapping[str, Any], auth_type: str = "password") -> None:
        """``options`` are those of the keystoneauth plugin ``auth_type``, such as auth_url."""
        from keystoneauth1 import loading, session  # noqa: PLC0415 (slow, and seldom needed)

        plugin: Any = loading.get_plugin_loader(auth_type).load_from_options(**options)
        self._session = session.Session(auth=plugin, timeout=_SECONDS)

    async def headers(self, renew: bool) -> Mapping[str, str]:
        if renew:
            self._session.invalidate()
        try:
            found = await asyncio.to_thread(self._session.get_auth_headers)
        except Exception as error:
            raise Unreachable(f"Keystone gives no token: {error}") from None
        return dict(found or {})


class RemoteWorkflows:
    """A client of Mistral's API v2. ``url`` ends with the version.

    All projects share that of the identity: the names of workflows and environments are common.
    """

    def __init__(
        self,
        url: str,
        identity: Identity | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._url = url.rstrip("/")
        self._identity = identity or NoIdentity()
        self._transport = transport

    async def start(self, project: str, request: Start) -> Execution:
        # Of a workflow that it does not know, Mistral says nothing but that something is wrong.
        workflow = await self.find_workflow(project, request.workflow)
        if workflow is None:
            raise Refused(f"there is no workflow {request.workflow}")
        body = {
            "id": request.id,
            "workflow_id": workflow.id,
            "input": json.dumps(request.input),
            "params": json.dumps(request.params),
            "description": request.description,
        }
        return _execution(await self._ask("POST", "/executions", body=body))

    async def show(self, project: str, execution_id: str) -> Execution | None:
        found = await self._ask("GET", f"/executions/{quote(execution_id, safe='')}")
        return None if found is None else _execution(found)

    async def cancel(self, project: str, execution_id: str, reason: str) -> None:
        found = await self.show(project, execution_id)
        if found is None or found.state.is_final:
            return
        body = {"state": "CANCELLED", "state_info": reason}
        try:
            await self._ask("PUT", f"/executions/{quote(execution_id, safe='')}", body=body)
        except Refused:
            found = await self.show(project, execution_id)
            if found is not None and not found.state.is_final:
                raise

    async def delete_execution(self, project: str, execution_id: str) -> None:
        await self._ask("DELETE", f"/executions/{quote(execution_id, safe='')}?force=true")

    async def environment(self, project: str, name: str) -> Mapping[str, Any] | None:
        found = await self._ask("GET", f"/environments/{quote(name, safe='')}")
        return None if found is None else _map(found.get("variables"))

    async def find_workflow(self, project: str, name_or_id: str) -> StoredWorkflow | None:
        found = await self._ask("GET", f"/workflows/{quote(name_or_id, safe='')}")
        return None if found is None else _workflow(found)

    async def create_workflow(self, project: str, definition: str) -> StoredWorkflow:
        return _only(await self._ask("POST", "/workflows", text=definition))

    async def update_workflow(self, project: str, definition: str) -> StoredWorkflow:
        return _only(await self._ask("PUT", "/workflows", text=definition))

    async def delete_workflow(self, project: str, name_or_id: str) -> None:
        await self._ask("DELETE", f"/workflows/{quote(name_or_id, safe='')}")

    async def create_trigger(self, project: str, trigger: Trigger) -> Trigger:
        workflow = await self.find_workflow(project, trigger.workflow)
        if workflow is None:
            raise Refused(f"there is no workflow {trigger.workflow}")
        body = {
            "name": trigger.name,
            "workflow_id": workflow.id,
            "workflow_input": json.dumps(trigger.input),
            "pattern": trigger.pattern,
            "first_execution_time": trigger.first_time,
            "remaining_executions": trigger.count,
        }
        given = {name: value for name, value in body.items() if value is not None}
        return _trigger(await self._ask("POST", "/cron_triggers", body=given))

    async def find_trigger(self, project: str, name: str) -> Trigger | None:
        found = await self._ask("GET", f"/cron_triggers/{quote(name, safe='')}")
        return None if found is None else _trigger(found)

    async def delete_trigger(self, project: str, name: str) -> None:
        await self._ask("DELETE", f"/cron_triggers/{quote(name, safe='')}")

    async def _ask(self, method: str, path: str, body: Any = None, text: str | None = None) -> Any:
        """Return the answer, None if what is asked for is not there."""
        headers = {"Content-Type": "application/json" if text is None else "text/plain"}
        content = text if text is not None else (None if body is None else json.dumps(body))
        answer = await self._send(method, path, content, headers, renew=False)
        if answer.status_code == httpx.codes.UNAUTHORIZED:
            answer = await self._send(method, path, content, headers, renew=True)
        if answer.status_code == _NOT_FOUND and method in ("GET", "DELETE"):
            return None
        if answer.is_success:
            return answer.json() if answer.content else {}
        said = f"{answer.status_code}: {_fault(answer)}"
        if answer.status_code in _TRY_LATER or answer.is_server_error:
            raise Unreachable(f"Mistral answers {said}")
        raise Refused(f"Mistral answers {said}")

    async def _send(
        self, method: str, path: str, content: str | None, headers: dict[str, str], renew: bool
    ) -> httpx.Response:
        try:
            async with asyncio.timeout(_SECONDS):
                known = await self._identity.headers(renew)
                async with httpx.AsyncClient(
                    transport=self._transport, trust_env=False, timeout=_SECONDS
                ) as client:
                    await hold()
                    return await client.request(
                        method,
                        self._url + path,
                        content=content,
                        headers={**headers, **known},
                        extensions={"trace": hold_before_sending},
                    )
        except TimeoutError:
            raise Unreachable(f"Mistral at {self._url} takes too long to answer") from None
        except httpx.HTTPError as error:
            reason = str(error) or type(error).__name__
            raise Unreachable(f"Mistral at {self._url} cannot be reached: {reason}") from None


def _fault(answer: httpx.Response) -> str:
    """Return what the server says of an error, in one line; without the traces it sends."""
    try:
        found = answer.json()
        text = found.get("faultstring") if isinstance(found, dict) else None
    except ValueError:
        text = None
    return shortened(text or answer.text or answer.reason_phrase)


def shortened(text: str) -> str:
    """Return a reason without the trace that Mistral puts behind it."""
    reason = text.partition("\nTraceback (most recent call last)")[0].strip()
    return reason if len(reason) <= _LONGEST_REASON else reason[: _LONGEST_REASON - 3] + "..."


def _map(value: Any) -> dict[str, Any]:
    """Return a map; Mistral writes most of them as a text of JSON."""
    found = json.loads(value) if isinstance(value, str) and value else value
    return dict(found) if isinstance(found, Mapping) else {}


def _execution(found: Mapping[str, Any]) -> Execution:
    return Execution(
        id=str(found["id"]),
        workflow_name=str(found.get("workflow_name") or ""),
        state=ExecutionState(found["state"]),
        state_info=shortened(found.get("state_info") or ""),
        input=_map(found.get("input")),
        output=_map(found.get("output")),
        created_at=str(found.get("created_at") or ""),
        updated_at=str(found.get("updated_at") or ""),
    )


def _workflow(found: Mapping[str, Any]) -> StoredWorkflow:
    return StoredWorkflow(str(found["id"]), str(found["name"]), str(found.get("definition") or ""))


def _only(answer: Mapping[str, Any]) -> StoredWorkflow:
    found = answer.get("workflows") or []
    if len(found) != 1:
        raise Refused(f"the definition holds {len(found)} workflows; write one")
    return _workflow(found[0])


def _trigger(found: Mapping[str, Any]) -> Trigger:
    return Trigger(
        name=str(found["name"]),
        workflow=str(found.get("workflow_name") or ""),
        input=_map(found.get("workflow_input")),
        pattern=found.get("pattern"),
        first_time=found.get("first_execution_time"),
        count=found.get("remaining_executions"),
        next_execution_time=found.get("next_execution_time"),
    )
