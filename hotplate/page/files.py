"""The built files of the page, with the headers that keep others out of it."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

Answer = Callable[[Request], Awaitable[Response]]

BUILT = Path(__file__).parent / "static"
"""Where `make page` puts the files; a wheel has them there."""

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
}

_ENCODINGS = {"br": ".br", "gzip": ".gz"}
"""What the build leaves beside a file; the smaller first."""

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
# That types are not guessed is said by the server, of all that it answers.
HEADERS: Mapping[str, str] = {
    "content-security-policy": _POLICY,
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
}
_FOREVER = "public, max-age=31536000, immutable"
"""For files whose names change with their content."""

_NOT_BUILT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Hotplate</title></head>
<body><h1>Hotplate</h1>
<p>The API answers at <a href="v1/">/v1/</a>. The page is not built in this checkout: run
<code>make page</code> (it needs Node.js 18 or newer and npm), and start the server again.</p>
<p>The package that users install has the page in it.</p></body></html>
"""


@dataclass(frozen=True, slots=True)
class _File:
    """A file in memory, as it is and as the build has compressed it, by encodings."""

    body: bytes
    packed: Mapping[str, bytes]
    media_type: str
    cache: str

    def answer(self, request: Request) -> Response:
        headers = {**HEADERS, "cache-control": self.cache, "vary": "accept-encoding"}
        body = self.body
        accepted = _accepted(request)
        encoding = next((each for each in self.packed if each in accepted), "")
        if encoding:
            body = self.packed[encoding]
            headers["content-encoding"] = encoding
        if self.cache != _FOREVER:
            tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
            headers["etag"] = tag
            if request.headers.get("if-none-match") == tag:
                return Response(None, 304, headers=headers)
        return Response(body, headers={**headers, "content-type": self.media_type})


class PageFiles:
    """The files in a folder that `make page` has filled; read once, when the first is asked for."""

    def __init__(self, folder: Path = BUILT) -> None:
        self._folder = folder

    def index(self, request: Request) -> Response:
        """Return the page itself, or how to build it."""
        found = self._files.get("/index.html")
        if found is None:
            return HTMLResponse(_NOT_BUILT, headers=dict(HEADERS))
        return found.answer(request)

    def pages(self) -> dict[str, Answer]:
        """Return an answer for each file but the page itself, by its address."""

        def answer_of(file: _File) -> Answer:
            async def answer(request: Request) -> Response:
                if request.method not in {"GET", "HEAD"}:
                    return Response(None, 405, headers={"allow": "GET, HEAD"})
                return file.answer(request)

            return answer

        return {
            path: answer_of(file) for path, file in self._files.items() if path != "/index.html"
        }

    @cached_property
    def _files(self) -> dict[str, _File]:
        if not self._folder.is_dir():
            return {}
        return {
            f"/{path.relative_to(self._folder).as_posix()}": _read(path, self._folder)
            for path in sorted(self._folder.rglob("*"))
            if path.is_file() and path.suffix in _TYPES
        }


def _accepted(request: Request) -> set[str]:
    """Return the encodings that a request takes; those with a weight of nothing are refused."""
    found = set()
    for each in request.headers.get("accept-encoding", "").split(","):
        name, _, weight = each.partition(";")
        if weight.strip().removeprefix("q=") not in {"0", "0.0", "0.00", "0.000"}:
            found.add(name.strip().lower())
    return found


def _read(path: Path, folder: Path) -> _File:
    copies = {
        encoding: path.with_name(f"{path.name}{suffix}") for encoding, suffix in _ENCODINGS.items()
    }
    # The build names what is in this folder by its content.
    is_hashed = path.relative_to(folder).parts[0] == "assets"
    return _File(
        path.read_bytes(),
        {encoding: copy.read_bytes() for encoding, copy in copies.items() if copy.is_file()},
        _TYPES[path.suffix],
        _FOREVER if is_hashed else "no-cache",
    )


def wants_page(request: Request) -> bool:
    """Tell whether a browser asks for a page; clients of the API ask for JSON or for anything."""
    accept = request.headers.get("accept", "")
    return request.method in {"GET", "HEAD"} and "text/html" in accept
