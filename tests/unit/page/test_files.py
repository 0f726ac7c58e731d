import asyncio
import gzip
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import Response

from hotplate.page.files import PageFiles, wants_page


@pytest.fixture
def built(tmp_path: Path) -> PageFiles:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html>", encoding="utf-8")
    (tmp_path / "icon.svg").write_text("<svg/>", encoding="utf-8")
    script = tmp_path / "assets" / "index-abc.js"
    script.write_text("run()", encoding="utf-8")
    script.with_name("index-abc.js.gz").write_bytes(gzip.compress(b"run()"))
    (tmp_path / "secret.key").write_text("not a file of the page", encoding="utf-8")
    return PageFiles(tmp_path)


def request(method: str = "GET", **headers: str) -> Request:
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": method, "headers": pairs, "path": "/"})


def asked(files: PageFiles, path: str, given: Request) -> Response:
    async def answer() -> Response:
        return await files.pages()[path](given)

    return asyncio.run(answer())


def test_only_files_of_a_page_have_an_address(built: PageFiles) -> None:
    assert sorted(built.pages()) == ["/assets/index-abc.js", "/icon.svg"]


def test_a_file_named_by_its_content_is_kept_for_ever_and_sent_compressed(built: PageFiles) -> None:
    packed = asked(built, "/assets/index-abc.js", request(accept_encoding="gzip, br"))
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(bytes(packed.body)) == b"run()"
    assert "immutable" in packed.headers["cache-control"]
    refused = asked(built, "/assets/index-abc.js", request(accept_encoding="gzip;q=0, br"))
    assert "content-encoding" not in refused.headers
    plain = asked(built, "/assets/index-abc.js", request())
    assert plain.body == b"run()"
    assert "content-encoding" not in plain.headers


def test_the_smallest_that_a_browser_takes_is_sent(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("run()", encoding="utf-8")
    (tmp_path / "a.js.gz").write_bytes(b"by gzip")
    (tmp_path / "a.js.br").write_bytes(b"by brotli")
    files = PageFiles(tmp_path)
    sent = asked(files, "/a.js", request(accept_encoding="gzip, deflate, br, zstd"))
    assert (sent.headers["content-encoding"], sent.body) == ("br", b"by brotli")
    assert sent.headers["vary"] == "accept-encoding"
    assert asked(files, "/a.js", request(accept_encoding="GZIP")).body == b"by gzip"


def test_other_files_are_asked_for_again_and_sent_if_they_have_changed(built: PageFiles) -> None:
    first = built.index(request())
    assert first.headers["cache-control"] == "no-cache"
    assert built.index(request(if_none_match=first.headers["etag"])).status_code == 304


def test_nothing_but_own_files_may_run_in_the_page(built: PageFiles) -> None:
    for answer in (built.index(request()), asked(built, "/icon.svg", request())):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-frame-options"] == "DENY"


def test_files_are_only_read(built: PageFiles) -> None:
    assert asked(built, "/icon.svg", request("POST")).status_code == 405


def test_a_checkout_without_a_page_says_how_to_build_it(tmp_path: Path) -> None:
    files = PageFiles(tmp_path / "static")
    assert b"make page" in files.index(request()).body
    assert files.pages() == {}


@pytest.mark.parametrize(
    ("accept", "wanted"),
    [
        ("text/html,application/xhtml+xml,*/*;q=0.8", True),
        ("application/json", False),
        ("*/*", False),
        ("", False),
    ],
)
def test_browsers_are_told_from_clients_by_what_they_accept(accept: str, wanted: bool) -> None:
    assert wants_page(request(accept=accept)) is wanted
