"""``make_url``: a URL from its parts, each escaped as its place demands."""

from typing import Any
from urllib.parse import quote, urlencode, urlunsplit

from hotplate.document import Data
from hotplate.template.errors import BadCall, kind_of
from hotplate.template.expression import Call, Constant, entries_of
from hotplate.template.functions.arguments import named, refuse_unknown, shown
from hotplate.template.scope import Scope
from hotplate.template.site import Site

_TEXTS = ("scheme", "username", "password", "host", "path", "fragment")
_PARTS = ("scheme", "username", "password", "host", "port", "path", "query", "fragment")
_FORM = "make_url: {scheme: https, host: HOST, port: 443, path: /PATH, query: {KEY: VALUE}}"


class MakeUrl(Call):
    """A URL from its parts, all optional."""

    __slots__ = ()

    def check(self, site: Site) -> None:
        """Refuse unknown parts and values of the wrong kind."""
        parts = named(self.arguments, (), _FORM)
        refuse_unknown(parts, _PARTS, _FORM)
        for key, part in parts.items():
            if isinstance(part, Constant):
                _check_part(key, part.value)
            elif key != "query" and entries_of(part) is not None:
                raise BadCall(f'"{key}" must be a text', path=(key,))

    def evaluate(self, scope: Scope) -> Data:
        """Return the URL."""
        parts = self.arguments.resolve_alone(scope)
        if not isinstance(parts, dict):
            raise BadCall(f"the arguments must be a map, not {kind_of(parts)}", f"write {_FORM}")
        for key, value in parts.items():
            _check_part(key, value)
        query = urlencode(parts.get("query") or {}).replace("%2F", "/")
        url = urlunsplit(
            (
                parts.get("scheme", ""),
                _authority(parts),
                quote(parts.get("path", "")),
                query,
                quote(parts.get("fragment", "")),
            )
        )
        scope.budget.spend(len(url))
        return url


def _check_part(key: str, value: Data) -> None:
    if key in _TEXTS and not isinstance(value, str):
        raise BadCall(f'"{key}" must be a text, not {kind_of(value)}', path=(key,))
    if key == "scheme" and ":" in str(value):
        raise BadCall(
            f'"scheme" must not contain a colon, "{value}" does',
            'write "https", for example',
            (key,),
        )
    if key == "query" and not isinstance(value, dict):
        raise BadCall(f'"query" must be a map, not {kind_of(value)}', path=(key,))
    if key == "port":
        _check_port(value)


def _check_port(value: Data) -> None:
    digits = str(value) if isinstance(value, str | int) else ""
    if not (digits.isascii() and digits.isdecimal() and 0 < int(digits[:9]) <= 65535):
        raise BadCall(
            f'"port" must be a number from 1 to 65535, not {shown(value)}', path=("port",)
        )


def _authority(parts: dict[str, Any]) -> str:
    username = quote(parts.get("username", ""), safe="")
    password = quote(parts.get("password", ""), safe="")
    login = f"{username}:{password}@" if password else f"{username}@" if username else ""
    host = parts.get("host", "")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    host = quote(host, safe=":")
    if ":" in host:
        host = f"[{host}]"
    port = parts.get("port")
    return f"{login}{host}:{port}" if port else f"{login}{host}"
