"""Which release this is."""

from functools import cache
from importlib.metadata import PackageNotFoundError, version

from starlette.responses import Response

from hotplate.api.http.endpoint import Call, Endpoint, json_answer
from hotplate.api.http.shapes import record, text


@cache
def revision() -> str:
    """Return the version of the installed package."""
    try:
        return version("hotplate")
    except PackageNotFoundError:
        return "unknown"


async def _show(call: Call) -> Response:
    return json_answer({"api": {"revision": revision()}, "engine": {"revision": revision()}})


_PART = record({"revision": text()})

ENDPOINTS = (
    Endpoint(
        "GET",
        "/build_info",
        _show,
        "Show the release",
        "services",
        answers={200: record({"api": _PART, "engine": _PART})},
    ),
)
