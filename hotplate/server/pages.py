"""Pages beside the API: health, figures, the description of the API, and the page for people."""

import asyncio
from collections.abc import Callable, Mapping

import orjson
from prometheus_client import CONTENT_TYPE_LATEST
from sqlalchemy.exc import SQLAlchemyError
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from hotplate.api import ENDPOINTS, OPEN_ENDPOINTS, WORKFLOW_ENDPOINTS, Page, openapi_document
from hotplate.api.versions import versions_answer
from hotplate.engine.embedded import Embedded
from hotplate.page import PageFiles, session_pages, wants_page
from hotplate.server.access.admission import Admission
from hotplate.server.health import Health
from hotplate.server.metrics import Metrics
from hotplate.store.monitoring.queue import standing

_PATIENCE = 3.0
"""Seconds after which a database that does not answer counts as away."""


def pages_of(
    engine: Embedded, metrics: Metrics, is_full: Callable[[], bool] = lambda: False
) -> Mapping[str, Page]:
    """Return the pages of a running engine by their addresses."""
    description = b""
    state = Health(engine, is_full)

    async def health(_: Request) -> Response:
        reason = await state.trouble()
        if reason:
            return PlainTextResponse(reason, 503)
        return PlainTextResponse(f"OK, but {state.note}" if state.note else "OK")

    async def figures(_: Request) -> Response:
        try:
            async with asyncio.timeout(_PATIENCE):
                found = await engine.database.read_soon(standing)
        except (SQLAlchemyError, TimeoutError):
            # Figures are wanted most when something is wrong.
            found = None
        return Response(metrics.text(found), headers={"content-type": CONTENT_TYPE_LATEST})

    async def openapi(_: Request) -> Response:
        nonlocal description
        description = description or orjson.dumps(
            openapi_document(ENDPOINTS, OPEN_ENDPOINTS, WORKFLOW_ENDPOINTS)
        )
        return Response(description, media_type="application/json")

    return {"/healthcheck": health, "/metrics": figures, "/openapi.json": openapi}


def web_page(admission: Admission, files: PageFiles) -> Mapping[str, Page]:
    """Return the page for people: at the root, where clients of the API find its versions."""

    async def root(request: Request) -> Response:
        return files.index(request) if wants_page(request) else versions_answer(request)

    return {
        "/": root,
        **files.pages(),
        **session_pages(admission.sign_in, admission.identify),
    }
