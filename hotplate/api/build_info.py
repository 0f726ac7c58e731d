"""Which release this is."""

from starlette.responses import Response

from hotplate import __version__
from hotplate.api.http.endpoint import Call, Endpoint, json_answer
from hotplate.api.http.shapes import record, text


async def _show(call: Call) -> Response:
    return json_answer({"api": {"revision": __version__}, "engine": {"revision": __version__}})


_PART = record({"revision": text()})

ENDPOINTS = (
    Endpoint(
        "GET",
        "/build_info",
        _show,
        "Show the release",
        "services",
        answers={200: record({"api": _PART, "engine": _PART})},
        rule="build_info:build_info",
    ),
)
