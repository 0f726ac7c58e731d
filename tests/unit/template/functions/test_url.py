"""make_url escapes each part as its place demands."""

import pytest

from tests.unit.template.templates import fault, resolved


@pytest.mark.parametrize(
    ("parts", "url"),
    [
        ("scheme: https, host: example.org", "https://example.org"),
        ("scheme: http, host: h, port: 80, path: /a b", "http://h:80/a%20b"),
        ("scheme: http, host: h, port: '80'", "http://h:80"),
        ("scheme: http, host: '::1', port: 80", "http://[::1]:80"),
        ("scheme: http, host: '[::1]'", "http://[::1]"),
        ("scheme: http, host: h, username: 'a@b', password: 'p/w:'", "http://a%40b:p%2Fw%3A@h"),
        ("scheme: http, host: h, username: u", "http://u@h"),
        ("scheme: http, host: h, query: {a: 'x/y', b: 'é&'}", "http://h?a=x/y&b=%C3%A9%26"),
        ("scheme: http, host: h, fragment: 'a b'", "http://h#a%20b"),
        ("path: /only", "/only"),
        ("", ""),
    ],
)
def test_a_url_is_made_of_its_parts(parts: str, url: str) -> None:
    assert resolved(f"{{make_url: {{{parts}}}}}") == url


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ("scheme: 'http:'", '"scheme" must not contain a colon, "http:" does; write "https"'),
        ("host: 5", '"host" must be a text, not a number'),
        ("path: [a]", '"path" must be a text, not a list'),
        ("query: text", '"query" must be a map, not a text'),
        ("port: 0", '"port" must be a number from 1 to 65535, not 0'),
        ("port: 65536", '"port" must be a number from 1 to 65535, not 65536'),
        ("port: http", '"port" must be a number from 1 to 65535, not "http"'),
        ("port: true", '"port" must be a number from 1 to 65535, not true'),
        ("port: ' 8_0 '", '"port" must be a number from 1 to 65535, not " 8_0 "'),
        ("port: -1", '"port" must be a number from 1 to 65535, not -1'),
        ("prot: 80", 'there is no argument "prot"; did you mean "port"?'),
    ],
)
def test_a_part_that_fits_no_url_is_refused(parts: str, words: str) -> None:
    assert fault(f"{{make_url: {{{parts}}}}}").startswith(f"make_url: {words}")


def test_parts_from_functions_are_checked_when_they_are_known() -> None:
    sections = "parameters: {port: {type: string}}"
    call = "{make_url: {host: h, port: {get_param: port}}}"
    assert resolved(call, sections, {"port": "443"}) == "//h:443"
    assert '"port" must be a number' in fault(call, sections, values={"port": "x"})
