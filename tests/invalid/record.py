"""Ask a running Heat for its verdict on every case, and write it down.

    python tests/invalid/record.py            # all cases
    python tests/invalid/record.py NAME ...   # only these; the other verdicts are kept

Heat is reached through the usual OS_* variables. Nothing is created: each case is sent once to
`POST /validate` and once to `POST /stacks/preview`.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from keystoneauth1.identity.generic import Password
from keystoneauth1.session import Session

HERE = Path(__file__).resolve().parent
RECORD = HERE / "heat.json"
STACK_NAME = "invalid-case"
AT_ONCE = 2

_SET_OF_TEXTS = re.compile(r"\{('[^'{}]*'(?:, '[^'{}]*')+)\}")

Verdicts = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Case:
    """One request to Heat: a template and what is sent beside it."""

    name: str
    template: str
    environment: str | None
    parameters: Mapping[str, Any]
    files: Mapping[str, str]

    def body(self) -> dict[str, Any]:
        """The request as JSON; template and environment stay text, so that Heat parses them."""
        body: dict[str, Any] = {
            "stack_name": STACK_NAME,
            "template": self.template,
            "parameters": dict(self.parameters),
            "files": dict(self.files),
        }
        if self.environment is not None:
            body["environment"] = self.environment
        return body


@dataclass(frozen=True)
class Answer:
    """What Heat said to one request; type and message are those of its error, if any."""

    status: int
    type: str | None
    message: str | None

    def row(self) -> dict[str, Any]:
        return {"status": self.status, "type": self.type, "message": self.message}


class Heat:
    """The two questions this tool asks of Heat."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def ask(self, path: str, body: Mapping[str, Any]) -> Answer:
        reply = self._session.post(
            path,
            json=dict(body),
            endpoint_filter={"service_type": "orchestration", "interface": "public"},
            raise_exc=False,
        )
        status = int(reply.status_code)
        if status < 400:
            return Answer(status, None, None)
        try:
            error = reply.json()["error"]
        except (ValueError, KeyError, TypeError):
            return Answer(status, None, _stable(reply.text))
        return Answer(status, error.get("type"), _stable(error.get("message")))


def read_cases() -> list[Case]:
    """Every case of cases.yaml, with its files read; in the order of the list."""
    listed = yaml.safe_load((HERE / "cases.yaml").read_text(encoding="utf-8"))
    return [_case(entry) for entry in listed]


def judge(heat: Heat, case: Case) -> dict[str, Any]:
    """The row of one case in the record."""
    body = case.body()
    validate = heat.ask("/validate", {k: v for k, v in body.items() if k != "stack_name"})
    preview = heat.ask("/stacks/preview", body)
    return {
        "case": case.name,
        "preview": preview.row(),
        "validate": validate.row(),
        "verdict": _verdict(validate, preview),
    }


def connect(variables: Mapping[str, str]) -> Heat:
    """Heat as the OS_* variables describe it; logs in at the first question."""
    auth = Password(
        auth_url=variables["OS_AUTH_URL"],
        username=variables["OS_USERNAME"],
        password=variables["OS_PASSWORD"],
        project_name=variables["OS_PROJECT_NAME"],
        user_domain_id=variables.get("OS_USER_DOMAIN_ID"),
        user_domain_name=variables.get("OS_USER_DOMAIN_NAME"),
        project_domain_id=variables.get("OS_PROJECT_DOMAIN_ID"),
        project_domain_name=variables.get("OS_PROJECT_DOMAIN_NAME"),
    )
    return Heat(Session(auth=auth))


def main(names: Iterable[str]) -> int:
    wanted = set(names)
    cases = read_cases()
    known = {case.name for case in cases}
    if len(known) != len(cases):
        print("cases.yaml holds two cases of one name", file=sys.stderr)
        return 2
    if unknown := sorted(wanted - known):
        print("no such case: " + ", ".join(unknown), file=sys.stderr)
        return 2

    kept: Verdicts = {}
    if wanted and RECORD.exists():
        kept = {row["case"]: row for row in json.loads(RECORD.read_text(encoding="utf-8"))}
    heat = connect(os.environ)
    chosen = [case for case in cases if not wanted or case.name in wanted]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for row in pool.map(lambda case: judge(heat, case), chosen):
            kept[row["case"]] = row

    rows = [kept[name] for name in sorted(known & kept.keys())]
    text = json.dumps(rows, indent=1, sort_keys=True, ensure_ascii=False)
    RECORD.write_text(text + "\n", encoding="utf-8")
    for verdict in ("refused", "accepted", "crashed"):
        print(f"{verdict:9} {sum(row['verdict'] == verdict for row in rows)}")
    return 0


def _case(entry: Mapping[str, Any]) -> Case:
    return Case(
        name=entry["case"],
        template=(HERE / entry["file"]).read_text(encoding="utf-8"),
        environment=_environment(entry.get("environment")),
        parameters=entry.get("parameters", {}),
        files=entry.get("files", {}),
    )


def _environment(given: str | Mapping[str, Any] | None) -> str | None:
    """The text of an environment which the case names as a file or holds as a map."""
    if given is None:
        return None
    if isinstance(given, str):
        return (HERE / given).read_text(encoding="utf-8")
    return json.dumps(given)


def _verdict(*answers: Answer) -> str:
    worst = max(answer.status for answer in answers)
    if worst >= 500:
        return "crashed"
    return "refused" if worst >= 400 else "accepted"


def _stable(message: str | None) -> str | None:
    """The message without what differs between two runs: addresses, request ids, order in sets."""
    if message is None:
        return None
    message = re.sub(r"0x[0-9a-f]{6,}", "0x0", message)
    message = re.sub(r"req-[0-9a-f-]{36}", "req-0", message)
    return _SET_OF_TEXTS.sub(_sorted_set, message)


def _sorted_set(found: re.Match[str]) -> str:
    return "{" + ", ".join(sorted(found[1].split(", "))) + "}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
