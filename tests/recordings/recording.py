"""Recordings of what was asked of real services and what they answered."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

FOLDER: Final = Path(__file__).parent / "stories"

_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z?")
_CHANGING_READS: Final = re.compile(r"/qos-specs/[^/]+/(?:associate|disassociate)\b")
"""Cinder has a few changes as GET."""

_KEPT_HEADERS: Final = (
    *("content-type", "location", "retry-after", "x-openstack-request-id", "x-compute-request-id"),
)
_SECRETS: Final = frozenset(("private_key", "adminPass", "password", "secret"))
LEFT_OUT: Final = "left out"
NEUTRAL_CLOUD: Final = "/opt/cloud"
"""What stands in recordings for the folder of the test cloud, which services name in answers."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its answer, without secrets."""

    method: str
    url: str
    body: Any
    version: str
    """The microversion that was asked for."""

    after: int
    """How many changes had been answered when the request was made."""

    status: int
    answer: Any
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_change(self) -> bool:
        """Whether the request may have changed something."""
        if self.method in ("GET", "HEAD"):
            return _CHANGING_READS.search(self.url) is not None
        return not self.url.endswith("/auth/tokens")

    @property
    def key(self) -> str:
        """What a request must be to fit; times may differ."""
        text = f"{self.method} {unquote(self.url)} {self.version}".rstrip()
        return _TIME.sub("TIME", f"{text} {json.dumps(self.body, sort_keys=True)}")


def exchange(
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes,
    after: int,
    answer: tuple[int, Mapping[str, str], bytes] = (0, {}, b""),
) -> Exchange:
    """Return a request as it is kept: no token, no password."""
    status, answered, content = answer
    kept = {name: answered[name] for name in _KEPT_HEADERS if name in answered}
    if "x-subject-token" in answered:
        kept["x-subject-token"] = LEFT_OUT
    version = headers.get("OpenStack-API-Version", "")
    asked, said = _document(body), _document(content)
    if url.endswith("/auth/tokens"):
        asked, said = LEFT_OUT, _lasting(said)
    return Exchange(method, url, asked, version, after, status, said, kept)


def _lasting(answer: Any) -> Any:
    """Return what is needed of a token, with an end that no play will see."""
    token = answer.get("token") if isinstance(answer, Mapping) else None
    if not isinstance(token, Mapping):
        return answer
    catalogue = [
        {
            "type": service["type"],
            "endpoints": [each for each in service["endpoints"] if each["interface"] == "public"],
        }
        for service in token.get("catalog") or ()
    ]
    return {
        "token": {
            "expires_at": "2099-01-01T00:00:00Z",
            "project": {"id": (token.get("project") or {}).get("id")},
            "user": {"id": (token.get("user") or {}).get("id")},
            "catalog": catalogue,
        }
    }


def _document(content: bytes) -> Any:
    if not content:
        return None
    try:
        return _public(json.loads(content))
    except ValueError:
        return content.decode(errors="replace")


def _public(document: Any) -> Any:
    if isinstance(document, Mapping):
        return {
            name: LEFT_OUT if name in _SECRETS and isinstance(value, str) else _public(value)
            for name, value in document.items()
        }
    return [_public(each) for each in document] if isinstance(document, list) else document


def save(name: str, exchanges: list[Exchange], cloud: Path) -> Path:
    """Write a recording. What was polled several times without a change stands once.

    No path of this machine is written: ``cloud`` is the folder whose services have answered.
    """
    kept: list[Exchange] = []
    last: dict[str, Exchange] = {}
    for each in exchanges:
        before = last.get(each.key)
        if not each.is_change and before is not None and _same(before, each):
            continue
        last[each.key] = each
        kept.append(each)
    path = FOLDER / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(_text(kept).replace(str(cloud), NEUTRAL_CLOUD))
    return path


def _text(exchanges: list[Exchange]) -> str:
    return json.dumps([asdict(each) for each in exchanges], indent=1) + "\n"


def load(name: str) -> list[Exchange]:
    """Read a recording."""
    return [Exchange(**each) for each in json.loads((FOLDER / f"{name}.json").read_text())]


def _same(one: Exchange, other: Exchange) -> bool:
    return (one.status, one.answer) == (other.status, other.answer)
