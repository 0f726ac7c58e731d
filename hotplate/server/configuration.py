"""What an operator sets: a flag beats an environment variable beats the file."""

import dataclasses
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from hotplate.api import Settings
from hotplate.private_file import NotPrivate, check_private
from hotplate.server.address import Address, parse_address
from hotplate.server.broker import checked_broker
from hotplate.server.connections import ConnectionLimits
from hotplate.server.refusal import nonsense

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from hotplate.resources.regions import Region, RemoteClouds
    from hotplate.server.access.keystone.settings import KeystoneSettings

AUTH = ("none", "token-file", "keystone")
LOG_FORMATS = ("text", "json")
LOG_LEVELS = ("debug", "info", "warning", "error")

_PREFIX = "HOTPLATE_"
_SECRET_NAMES = ("password", "token", "secret")
_TEXTS = (
    "listen",
    "public_url",
    "database",
    "broker",
    "key_file",
    "objects",
    "auth",
    "auth_tokens",
    "proxy",
    "log_format",
    "log_level",
    "os_cloud",
    "policy_file",
)
_SWITCHES = ("allow_remote_without_auth", "test_resources")
_LISTS = ("host_names",)
_KNOWN = (*_TEXTS, *_SWITCHES, *_LISTS)
_TRUE = frozenset(("1", "true", "yes", "on"))
_FALSE = frozenset(("", "0", "false", "no", "off"))


@dataclass(frozen=True, slots=True)
class Configuration:
    """All settings of the server."""

    listen: Address
    database: str
    broker: str = field(default="", repr=False)
    """The URL of the RabbitMQ by which processes tell each other of work; empty for none."""

    key_file: Path = Path("secrets.key")
    """Where the master keys are that seal the database."""

    objects: Path | None = None
    auth: str = "none"
    auth_tokens: Path | None = None
    allow_remote_without_auth: bool = False
    test_resources: bool = False
    """Whether a server makes resources of the type OS::Heat::TestResource."""

    host_names: tuple[str, ...] = ()
    proxy: str = ""
    public_url: str = ""
    """How others reach it, without a version; where it listens if that is empty."""

    log_format: str = "text"
    log_level: str = "info"
    limits: Settings = field(default_factory=Settings)
    connections: ConnectionLimits = field(default_factory=ConnectionLimits)
    workflows: Mapping[str, Any] = field(default_factory=dict)
    """As written; `hotplate.server.workflows` reads it where workflows are run."""
    regions: Mapping[str, "Region"] = field(default_factory=dict)
    """Other servers that stacks may be made on, by name."""

    remote_clouds: "RemoteClouds | None" = None
    """What holds for servers that no name of the configuration means; None for the defaults."""

    authority: Mapping[str, Any] = field(default_factory=dict)
    """How users of Keystone are represented later. `hotplate.server.clouds` reads it."""

    clouds: Mapping[str, str] = field(default_factory=dict)
    """The clouds of clouds.yaml by project, where tokens of a file tell who asks."""

    policy_file: Path = Path("policy.yaml")
    """Who may do what, where that differs from the defaults. `policy.d` beside it counts too."""

    keystone: "KeystoneSettings | None" = None
    """How Keystone tells who asks; None unless it does."""

    os_cloud: str | None = None
    """The cloud in which cloud types make their objects: a name in clouds.yaml, or empty for the
    one that the `OS_*` variables or clouds.yaml tell. None if no cloud is used."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names by which others may address it."""
        own = urlsplit(self.public_url).hostname
        return (*self.host_names, own) if own else self.host_names

    @property
    def is_open_to_others(self) -> bool:
        """Whether other machines may do what they like without a token."""
        return self.auth == "none" and not self.listen.is_loopback


def configure(
    flags: Mapping[str, Any], environ: Mapping[str, str], file: Path | None = None
) -> Configuration:
    """Return what holds. ``flags`` that are None or empty were not given. Raises CannotStart."""
    file = file or _found(environ)
    written, limits, more = _read(file)
    values: dict[str, Any] = {**written}
    for name in _KNOWN:
        text = environ.get(_PREFIX + name.upper())
        if text is not None:
            values[name] = _from_environment(name, text)
        if flags.get(name) not in (None, "", ()):
            values[name] = flags[name]
    table = more.pop("keystone", {})
    if table and not (values.get("auth") or values.get("auth_tokens")):
        values["auth"] = "keystone"
    more["policy_file"] = _policy_file(values, environ, file)
    found = dataclasses.replace(_checked(values, limits, environ), **more)
    return _with_keystone(found, table, environ, file) if found.auth == "keystone" else found


def policy_path(named: str, environ: Mapping[str, str], file: Path | None = None) -> Path:
    """Return the policy of a configuration, or the one that is named. Raises CannotStart."""
    file = file or _found(environ)
    written, _, _ = _read(file)
    chosen = named or environ.get(f"{_PREFIX}POLICY_FILE") or written.get("policy_file")
    return _policy_file({"policy_file": chosen}, environ, file)


def _policy_file(values: Mapping[str, Any], environ: Mapping[str, str], file: Path | None) -> Path:
    """Return the policy that is named, else that beside the configuration. Raises CannotStart."""
    named = _path(values.get("policy_file"))
    if named is None:
        return (file.parent if file is not None else _config_home(environ)) / "policy.yaml"
    if not named.is_file():
        raise nonsense(f"there is no policy {named}")
    return named


def _with_keystone(
    found: Configuration, table: Mapping[str, Any], environ: Mapping[str, str], file: Path | None
) -> Configuration:
    """Take the cloud that is named for the server's own user in Keystone. Raises CannotStart.

    Stacks of others are never made by it.
    """
    from hotplate.server.access.keystone.settings import (  # noqa: PLC0415 (few use Keystone)
        keystone_settings,
    )

    settings = keystone_settings(table, environ, file, found.os_cloud or "")
    return dataclasses.replace(found, keystone=settings, os_cloud=None)


def _checked(
    values: Mapping[str, Any], limits: Settings, environ: Mapping[str, str]
) -> Configuration:
    tokens = values.get("auth_tokens")
    auth = values.get("auth") or ("token-file" if tokens else "none")
    _one_of("auth", auth, AUTH)
    if auth == "token-file" and not tokens:
        raise nonsense("--auth token-file needs the file; name it with --auth-tokens FILE")
    if auth == "none" and values.get("policy_file"):
        raise nonsense("--auth none lets everybody do everything; leave out --policy-file")
    if auth != "token-file" and tokens:
        raise nonsense(f"--auth {auth} takes no tokens; leave out --auth-tokens, or --auth {auth}")
    configuration = Configuration(
        listen=parse_address(values.get("listen") or "127.0.0.1:8004"),
        database=values.get("database") or f"sqlite:///{data_home(environ) / 'hotplate.db'}",
        broker=checked_broker(values.get("broker") or ""),
        key_file=_path(values.get("key_file")) or _config_home(environ) / "secrets.key",
        objects=_path(values.get("objects")),
        auth=auth,
        auth_tokens=_path(tokens),
        allow_remote_without_auth=bool(values.get("allow_remote_without_auth")),
        test_resources=bool(values.get("test_resources")),
        host_names=tuple(values.get("host_names") or ()),
        proxy=values.get("proxy") or "",
        public_url=_public_url(values.get("public_url") or ""),
        log_format=_one_of("log-format", values.get("log_format") or "text", LOG_FORMATS),
        log_level=_one_of("log-level", values.get("log_level") or "info", LOG_LEVELS),
        limits=limits,
        os_cloud=values.get("os_cloud") or environ.get("OS_CLOUD") or _of_variables(environ),
    )
    if configuration.is_open_to_others and not configuration.allow_remote_without_auth:
        raise nonsense(
            f"listening on {configuration.listen} without authentication lets every machine that "
            "reaches it do everything; use --auth-tokens FILE, listen on 127.0.0.1, or say "
            "--allow-remote-without-auth"
        )
    return configuration


def _of_variables(environ: Mapping[str, str]) -> str | None:
    """Return that the variables tell the cloud, if they do."""
    return "" if environ.get("OS_AUTH_URL") else None


def _public_url(text: str) -> str:
    """Return an address that paths can be put behind. Raises CannotStart."""
    found = text.rstrip("/").removesuffix("/v1")
    try:
        parts = urlsplit(found)
        fits = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        fits = False
    if found and (not fits or parts.query or parts.fragment or parts.username is not None):
        raise nonsense(
            f'--public-url: "{text}" is not an address of a server; write it like '
            "https://plate.example.org"
        )
    return found


def data_home(environ: Mapping[str, str]) -> Path:
    """Return the folder for state of this user."""
    base = environ.get("XDG_DATA_HOME", "")
    return (Path(base) if Path(base).is_absolute() else _home(environ, ".local/share")) / "hotplate"


def _home(environ: Mapping[str, str], below: str) -> Path:
    home = environ.get("HOME")
    return (Path(home) if home else Path.home()) / below


def _found(environ: Mapping[str, str]) -> Path | None:
    """Return the file that the environment names or that stands in its usual place."""
    if named := environ.get(f"{_PREFIX}CONFIG"):
        return Path(named)
    usual = _config_home(environ) / "hotplate.toml"
    return usual if usual.is_file() else None


def _config_home(environ: Mapping[str, str]) -> Path:
    """Return the folder for settings of this user. It is not where the data are."""
    base = environ.get("XDG_CONFIG_HOME", "")
    return (Path(base) if Path(base).is_absolute() else _home(environ, ".config")) / "hotplate"


def _read(file: Path | None) -> tuple[dict[str, Any], Settings, dict[str, Any]]:
    if file is None:
        return {}, Settings(), {}
    try:
        with file.open("rb") as stream:
            found = os.fstat(stream.fileno())
            document = tomllib.load(stream)
        if _holds_secret(document):
            check_private(file, found)
    except NotPrivate as error:
        raise nonsense(f"the configuration {file} holds a password and {error}") from None
    except OSError as error:
        raise nonsense(f"the configuration {file} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise nonsense(f"the configuration {file} is not TOML: {error}") from None
    tables = ("server", "secrets", "limits", "connections", "workflows", "keystone")
    only_known(file, "", document, (*tables, "regions", "authority", "clouds"))
    if not all(isinstance(document.get(each, {}), dict) for each in tables):
        raise nonsense(
            f"{file}: {', '.join(tables[:-1])} and {tables[-1]} are tables; write "
            f"{', '.join(f'[{each}]' for each in tables[:-1])} and [{tables[-1]}]"
        )
    server, secrets, limits, connections, workflows, keystone = (
        document.get(each, {}) for each in tables
    )
    only_known(file, "secrets.", secrets, ("key_file",))
    server = server | secrets
    only_known(file, "server.", server, _KNOWN)
    for name, value in server.items():
        _check_type(file, f"server.{name}", value, _type_of(name))
    more = {
        "connections": checked_table(file, "connections", connections, ConnectionLimits()),
        "workflows": workflows,
        **_regions(file, document.get("regions")),
        "authority": _authority(file, document.get("authority", {})),
        "clouds": _clouds(file, document.get("clouds", {})),
        "keystone": keystone,
    }
    return server, checked_table(file, "limits", limits, Settings()), more


def _holds_secret(value: Any, name: str = "") -> bool:
    """Tell whether there is a password in what is written, on its own or in an address."""
    if isinstance(value, dict):
        return any(_holds_secret(each, key) for key, each in value.items())
    if isinstance(value, list):
        return any(map(_holds_secret, value))
    if not isinstance(value, str) or not value:
        return False
    try:
        return name in _SECRET_NAMES or bool("@" in value and urlsplit(value).password)
    except ValueError:
        return False


def _regions(file: Path, table: Any) -> dict[str, Any]:
    if table is None:
        return {}
    from hotplate.server.regions import regions_of, remote_clouds_of  # noqa: PLC0415 (few have any)

    return {"regions": regions_of(file, table), "remote_clouds": remote_clouds_of(file, table)}


def _authority(file: Path, table: Any) -> Mapping[str, Any]:
    if not isinstance(table, dict):
        raise nonsense(f"{file}: authority is a table; write [authority]")
    return table


def _clouds(file: Path, table: Any) -> dict[str, str]:
    if not table:
        return {}
    from hotplate.server.clouds import checked_clouds  # noqa: PLC0415 (few have any)

    return checked_clouds(file, table)


def _type_of(name: str) -> type:
    if name in _SWITCHES:
        return bool
    return list if name in _LISTS else str


T = TypeVar("T", bound="DataclassInstance")


def checked_table(file: Path | str, table: str, given: Mapping[str, Any], defaults: T) -> T:
    """Return settings with what a table of the file says. Raises CannotStart."""
    names = tuple(each.name for each in dataclasses.fields(defaults))
    only_known(file, f"{table}.", given, names)
    values: dict[str, Any] = {}
    for name, written in given.items():
        default = getattr(defaults, name)
        is_fraction = isinstance(default, float) and type(written) is int
        value: Any = float(written) if is_fraction else written
        expected = list if _is_list(default) else type(default)
        _check_type(file, f"{table}.{name}", value, expected)
        if isinstance(value, int | float) and value < 0:
            raise nonsense(f"{file}: {table}.{name} is below 0")
        values[name] = tuple(value) if _is_list(default) else value
    return dataclasses.replace(defaults, **values)


def _is_list(value: object) -> bool:
    return isinstance(value, tuple)


_TYPE_NAMES = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list of texts",
}


def _check_type(file: Path | str, name: str, value: Any, expected: type) -> None:
    fits = type(value) is expected
    if fits and expected is list:
        fits = all(isinstance(item, str) for item in value)
    if not fits:
        raise nonsense(f"{file}: {name} must be {_TYPE_NAMES[expected]}")


def only_known(
    file: Path | str, place: str, given: Mapping[str, Any], known: tuple[str, ...]
) -> None:
    """Refuse a setting that does not exist. Raises CannotStart."""
    for name in given:
        if name not in known:
            from hotplate.document import did_you_mean  # noqa: PLC0415  # seldom needed

            hint = did_you_mean(name, known) or f"known are {', '.join(known)}"
            raise nonsense(f"{file}: there is no setting {place}{name}; {hint}")


def _from_environment(name: str, text: str) -> Any:
    if name in _LISTS:
        return [word.strip() for word in text.split(",") if word.strip()]
    if name in _SWITCHES:
        word = text.strip().lower()
        if word not in _TRUE | _FALSE:
            raise nonsense(f'{_PREFIX}{name.upper()}: "{text}" is neither true nor false')
        return word in _TRUE
    return text


def _one_of(flag: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise nonsense(f'--{flag}: "{value}" is not one of {", ".join(allowed)}')
    return value


def _path(value: str | Path | None) -> Path | None:
    return Path(value).expanduser() if value else None
