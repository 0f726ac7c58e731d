"""The workers on this database, as Heat shows its engines."""

from typing import Any, Final
from uuid import NAMESPACE_OID, uuid5

from starlette.responses import Response

from hotplate.api.http.endpoint import Call, Endpoint, json_answer
from hotplate.api.http.shapes import NULL, TIME, listed, maybe, record, text
from hotplate.api.http.times import shown_time
from hotplate.engine.worker.lease import EXPIRY, HEARTBEAT
from hotplate.engine.worker.presence import host_of
from hotplate.store.workers import KnownWorker

SERVICE: Final = record(
    {
        "id": text(),
        "engine_id": text(),
        "host": text(),
        "hostname": text(),
        "binary": text(),
        "topic": text(),
        "report_interval": {"type": "integer"},
        "created_at": maybe(TIME),
        "updated_at": TIME,
        "deleted_at": NULL,
        "status": {"enum": ["up", "down"]},
    }
)


async def _list(call: Call) -> Response:
    found = await call.listings.workers()
    return json_answer({"services": [_service(worker) for worker in found]})


def _service(worker: KnownWorker) -> dict[str, Any]:
    host = host_of(worker.name) or worker.name
    identity = str(uuid5(NAMESPACE_OID, f"hotplate worker {worker.id} {worker.name}"))
    return {
        "id": identity,
        "engine_id": identity,
        "host": host,
        "hostname": host,
        "binary": "hotplate",
        "topic": "engine",
        "report_interval": int(HEARTBEAT),
        "created_at": None,
        "updated_at": shown_time(worker.heartbeat),
        "deleted_at": None,
        "status": "up" if worker.silence < EXPIRY else "down",
    }


ENDPOINTS = (
    Endpoint(
        "GET",
        "/services",
        _list,
        "List the workers",
        "services",
        answers={200: record({"services": listed(SERVICE)})},
        description="For administrators. A worker that has been silent for ten seconds is down.",
        rule="service:index",
    ),
)
