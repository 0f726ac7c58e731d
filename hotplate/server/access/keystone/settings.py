"""The table `[keystone]` of the configuration: where Keystone is, and who the server is there."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hotplate.cloud.errors import BadConfiguration
from hotplate.cloud.settings import AUTH_OPTIONS, CloudSettings, load_settings, settings_of
from hotplate.private_file import NotPrivate, check_private, read_private
from hotplate.server.refusal import nonsense

LONGEST_MEMORY: Final = 60
"""Seconds. A token that was revoked is good for no longer than this."""

_CONNECTION: Final = ("auth_type", "region_name", "interface", "cacert", "cert", "key")
_FLAGS: Final = ("insecure", "verify")
_OWN: Final = (
    "cloud",
    "password_file",
    "www_authenticate_uri",
    "service_token_roles",
    "remember_seconds",
    "most_tokens",
)
_NUMBERS: Final = ("remember_seconds", "most_tokens", "api_timeout")
_KNOWN: Final = (*sorted(AUTH_OPTIONS), *_CONNECTION, *_FLAGS, "api_timeout", *_OWN)
_SECRETS: Final = ("password", "token", "application_credential_secret")


@dataclass(frozen=True, slots=True)
class KeystoneSettings:
    """How a server uses Keystone."""

    service_user: CloudSettings
    """The server's own user: asks whose a token is, and is the trustee of trusts."""

    www_authenticate_uri: str = ""
    """Where clients that have no token are sent to log in."""

    service_token_roles: tuple[str, ...] = ("service",)
    """Who has one of these may send requests on with tokens of others that have expired."""

    remember_seconds: int = LONGEST_MEMORY
    """For how long an answer of Keystone is good, at most. 0 asks every time."""

    most_tokens: int = 2000
    """Of how many tokens the answers are remembered."""


def keystone_settings(
    table: Mapping[str, Any], environ: Mapping[str, str], file: Path | None, cloud: str = ""
) -> KeystoneSettings:
    """Return what the table says; without an auth_url in it, what clouds.yaml or `OS_*` say.

    ``cloud`` is a name in clouds.yaml. Reads files. Raises CannotStart.
    """
    _check(table, file)
    try:
        user = _service_user(table, environ, cloud)
    except BadConfiguration as error:
        raise nonsense(
            f"--auth keystone needs the server's own user of Keystone, in [keystone] of the "
            f"configuration, in clouds.yaml or in OS_*: {error.words}"
        ) from None
    defaults = KeystoneSettings(user, user.auth.get("auth_url", ""))
    own = {name: table[name] for name in _OWN[2:] if name in table}
    if "service_token_roles" in own:
        own["service_token_roles"] = tuple(role.lower() for role in own["service_token_roles"])
    return dataclasses.replace(defaults, **own)


def _service_user(
    table: Mapping[str, Any], environ: Mapping[str, str], cloud: str
) -> CloudSettings:
    written = {name: value for name, value in table.items() if name not in _OWN}
    if "auth_url" in written:
        if name := table.get("password_file"):
            written["password"] = _password(Path(str(name)).expanduser())
        found = settings_of("keystone", written)
    else:
        found = load_settings(environ, cloud or str(table.get("cloud", "")))
    if not found.auth.get("auth_url"):
        raise BadConfiguration("there is no auth_url")
    return found


def _password(path: Path) -> str:
    try:
        text = read_private(path).decode()
    except NotPrivate as error:
        raise nonsense(f"{path} holds a password and {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        words = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise nonsense(f"the password in {path} cannot be read: {words}") from None
    return text.partition("\n")[0]


def _check(table: Mapping[str, Any], file: Path | None) -> None:
    for name, value in table.items():
        if name not in _KNOWN:
            from hotplate.document import did_you_mean  # noqa: PLC0415  # seldom needed

            hint = did_you_mean(name, _KNOWN) or f"known are {', '.join(_KNOWN)}"
            raise nonsense(f"{file}: there is no setting keystone.{name}; {hint}")
        _check_value(f"{file}: keystone.{name}", name, value)
    if file is not None and any(name in table for name in _SECRETS):
        try:
            check_private(file, file.stat())
        except NotPrivate as error:
            raise nonsense(f"{file} holds a password and {error}") from None


def _check_value(place: str, name: str, value: Any) -> None:
    if name in _FLAGS:
        if not isinstance(value, bool):
            raise nonsense(f"{place} must be true or false")
    elif name in _NUMBERS:
        if type(value) is not int or value < 0:
            raise nonsense(f"{place} must be a whole number, 0 or more")
        if name == "remember_seconds" and value > LONGEST_MEMORY:
            raise nonsense(
                f"{place} is above {LONGEST_MEMORY}: so long would a revoked token be good"
            )
    elif name == "service_token_roles":
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise nonsense(f"{place} must be a list of texts")
    elif not isinstance(value, str):
        raise nonsense(f"{place} must be a text")
