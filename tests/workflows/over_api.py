"""A case over the REST API: on a real Mistral, or on a server of ours."""

import json
import time
import uuid
from collections.abc import Callable
from typing import Any, Self

import httpx

from tests.workflows.case import Case, outcome, refused

FINAL = frozenset(("SUCCESS", "ERROR", "CANCELLED", "SKIPPED"))
PATIENCE = 40.0


class Stuck(Exception):
    """What a case waits for does not come."""


class WorkflowApi:
    """Runs cases on the server at this address (with /v2 at its end).

    Each case has a namespace of its own, so that they do not see each other's definitions.
    """

    def __init__(self, url: str) -> None:
        # Mistral closes a connection that was idle just when the next request comes on it, and
        # nobody can tell whether it has read that one: each request has a connection of its own.
        alone = httpx.Limits(max_keepalive_connections=0)
        self._http = httpx.Client(base_url=url, timeout=60.0, trust_env=False, limits=alone)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def run(self, case: Case) -> dict[str, Any]:
        """Return the outcome of a case; "stuck" if it does not come to an end, or got lost."""
        try:
            return self._run(case)
        except (Stuck, httpx.TransportError) as stuck:
            return {"stuck": f"{type(stuck).__name__}: {stuck}"}

    def _run(self, case: Case) -> dict[str, Any]:
        space = f"case-{uuid.uuid4().hex}"
        for kind, text in (
            ("actions", case.actions),
            ("workbooks", case.workbook),
            ("workflows", case.workflows),
        ):
            if text and not self._define(kind, text, space):
                return refused("definition")
        answer = self._http.post(
            "/executions",
            json={
                "workflow_name": case.start,
                "workflow_namespace": space,
                "input": json.dumps(case.input),
                "params": json.dumps(case.params),
            },
        )
        if answer.status_code != 201:
            assert answer.status_code == 400, answer.text
            return refused("start")
        run_id = answer.json()["id"]
        for name, arguments in case.then:
            self._obey(run_id, name, arguments)
        if not any(name == "wait" for name, _ in case.then[-1:]):
            self._wait(f"{case.name} ends", lambda: self._execution(run_id)["state"] in FINAL)
        return self._outcome(case, run_id)

    def _define(self, kind: str, text: str, space: str) -> bool:
        answer = self._http.post(
            f"/{kind}",
            params={"namespace": space},
            content=text.encode(),
            headers={"Content-Type": "text/plain"},
        )
        return answer.status_code == 201

    def _outcome(self, case: Case, run_id: str) -> dict[str, Any]:
        found = self._execution(run_id)
        tasks = [(task["name"], task["state"]) for task in self._tasks(run_id)]
        output = json.loads(found["output"] or "{}")
        return outcome(case, found["state"], found["state_info"], output, tasks)

    def _execution(self, run_id: str) -> dict[str, Any]:
        return self._get(f"/executions/{run_id}")

    def _tasks(self, run_id: str) -> list[dict[str, Any]]:
        tasks: list[dict[str, Any]] = self._get(f"/executions/{run_id}/tasks")["tasks"]
        return tasks

    def _task(self, run_id: str, name: str) -> dict[str, Any]:
        return next((task for task in self._tasks(run_id) if task["name"] == name), {})

    def _actions(self, run_id: str, task: str) -> list[dict[str, Any]]:
        identity = self._task(run_id, task)["id"]
        found: list[dict[str, Any]] = self._get(f"/tasks/{identity}/action_executions")[
            "action_executions"
        ]
        return found

    def _get(self, path: str) -> dict[str, Any]:
        answer = self._http.get(path)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found

    def _put(self, path: str, body: dict[str, Any]) -> None:
        answer = self._http.put(path, json=body)
        if answer.status_code != 200:
            raise Stuck(answer.text)

    def _wait(self, what: str, holds: Callable[[], bool]) -> None:
        until = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > until:
                raise Stuck(what)
            time.sleep(0.2)

    def _obey(self, run_id: str, name: str, arguments: Any) -> None:
        match name:
            case "wait":
                self._wait(arguments, lambda: self._execution(run_id)["state"] == arguments)
            case "wait-task":
                wanted, state = arguments["name"], arguments["state"]
                self._wait(name, lambda: self._task(run_id, wanted).get("state") == state)
            case "wait-actions":
                task, count = arguments["task"], arguments["count"]
                self._wait(name, lambda: len(self._actions(run_id, task)) >= count)
            case "resume":
                self._put(f"/executions/{run_id}", {"state": "RUNNING"})
            case "cancel":
                self._put(f"/executions/{run_id}", {"state": "CANCELLED"})
            case "rerun" | "skip":
                task = self._task(run_id, arguments["task"])
                body = {"id": task["id"], "state": "SKIPPED" if name == "skip" else "RUNNING"}
                if name == "rerun":
                    body["reset"] = arguments.get("reset", True)
                    if "env" in arguments:
                        body["env"] = json.dumps(arguments["env"])
                self._put(f"/tasks/{task['id']}", body)
            case "end-action":
                action = self._actions(run_id, arguments["task"])[0]
                body = {"state": arguments["state"], "output": json.dumps(arguments["output"])}
                self._put(f"/action_executions/{action['id']}", body)
            case _:
                raise ValueError(f"a case cannot order {name}")
