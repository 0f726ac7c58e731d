"""What is known of a cloud before it is asked: where its Keystone is, who we are, what we prefer.

Read as openstacksdk reads it, so that whoever has a clouds.yaml needs nothing else: see
docs/cloud.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from hotplate.cloud.errors import BadConfiguration
from hotplate.cloud.files import clouds_in_files

ENVIRONMENT: Final = "envvars"
"""The name of the cloud that the OS_* variables describe."""

_SELECTORS: Final = frozenset(("cloud", "cloud_name", "client_config_file", "client_secure_file"))
_OLD_NAMES: Final = {
    "tenant_name": "project_name",
    "tenant_id": "project_id",
    "user": "username",
    "endpoint_type": "interface",
    "identity_endpoint_type": "interface",
    "region": "region_name",
}
AUTH_OPTIONS: Final = frozenset(
    (
        *("auth_url", "username", "user_id", "password", "token", "passcode", "endpoint"),
        *("user_domain_name", "user_domain_id", "project_name", "project_id"),
        *("project_domain_name", "project_domain_id", "domain_name", "domain_id"),
        *("default_domain", "default_domain_name", "default_domain_id", "system_scope"),
        *("application_credential_id", "application_credential_name"),
        *("application_credential_secret", "trust_id"),
    )
)
"""What belongs below ``auth``, though some write it beside it."""

_INTERFACES: Final = {"publicURL": "public", "internalURL": "internal", "adminURL": "admin"}
_YES: Final = frozenset(("1", "true", "yes", "on"))
_NO: Final = frozenset(("0", "false", "no", "off", ""))


@dataclass(frozen=True, slots=True)
class CloudSettings:
    """One cloud, in one region, for one user and project."""

    name: str
    auth_type: str
    auth: Mapping[str, str] = field(repr=False)
    """What the auth type needs: auth_url, username, password, project_name …"""

    region: str = ""
    """Empty for whichever region the catalogue names first."""

    interface: str = "public"
    verify: bool = True
    ca_file: str = ""
    client_certificate: str = ""
    client_key: str = ""
    timeout: float = 0
    """Seconds for one answer; 0 for what is usual."""

    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """All else, such as network_endpoint_override; the type of the service comes first."""

    def of_service(self, service_type: str, option: str) -> str:
        """Return what is said of one service; empty if nothing is."""
        found = self.options.get(f"{service_type.replace('-', '_')}_{option}")
        return "" if found is None else str(found)


def load_settings(
    environ: Mapping[str, str],
    cloud: str = "",
    region: str = "",
    folder: Path = Path(),
) -> CloudSettings:
    """Return what clouds.yaml or the OS_* variables say of a cloud. Raises BadConfiguration.

    Without a name it is the one of OS_CLOUD, else that of the OS_* variables, else the only one in
    the files. ``folder`` is the current one. Reads files; blocks.
    """
    files = clouds_in_files(environ, folder)
    by_environment = _of_environment(environ)
    name = cloud or environ.get("OS_CLOUD", "")
    if not name and by_environment:
        name = ENVIRONMENT
    if not name and len(files.clouds) == 1:
        name = next(iter(files.clouds))
    if not name:
        raise BadConfiguration(
            "no cloud is named: set OS_CLOUD to one of clouds.yaml "
            f"({', '.join(sorted(files.clouds)) or 'there is none'}), or set OS_AUTH_URL and the "
            "other OS_ variables"
        )
    if name == ENVIRONMENT and by_environment and ENVIRONMENT not in files.clouds:
        written = by_environment
    else:
        written = files.cloud(name)
    return settings_of(name, written, region)


def _of_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    """Return what the OS_* variables say; nothing unless they name a Keystone or an endpoint."""
    said = {
        name[3:].lower(): text for name, text in environ.items() if name.startswith("OS_") and text
    }
    said = {name: text for name, text in said.items() if name not in _SELECTORS}
    return said if "auth_url" in said or "endpoint" in said else {}


def settings_of(name: str, written: Mapping[str, Any], region: str = "") -> CloudSettings:
    """Return what a cloud's entry in clouds.yaml comes to. Raises BadConfiguration."""
    said = _today(written)
    auth = _today(said.pop("auth", None) or {})
    for option in AUTH_OPTIONS & set(said):
        auth.setdefault(option, said.pop(option))
    said = _in_region(name, said, region)
    kind = str(said.pop("auth_type", "") or _auth_type(auth))
    interface = str(said.pop("interface", "") or "public")
    insecure = _is_yes(said.pop("insecure", False))
    verify = _is_yes(said.pop("verify", True)) and not insecure
    try:
        timeout = float(said.pop("api_timeout", None) or 0)
    except (TypeError, ValueError):
        raise BadConfiguration(f'the api_timeout of the cloud "{name}" is no number') from None
    return CloudSettings(
        name,
        kind,
        {option: str(value) for option, value in auth.items() if value is not None},
        str(said.pop("region_name", "") or ""),
        _INTERFACES.get(interface, interface),
        verify,
        _path(said.pop("cacert", "")),
        _path(said.pop("cert", "")),
        _path(said.pop("key", "")),
        timeout,
        said,
    )


def _auth_type(auth: Mapping[str, Any]) -> str:
    if any(name.startswith("application_credential") for name in auth):
        return "v3applicationcredential"
    if auth.get("token") and not auth.get("password"):
        return "token" if auth.get("auth_url") else "admin_token"
    return "password"


def _in_region(name: str, said: dict[str, Any], region: str) -> dict[str, Any]:
    """Choose one of the regions that are listed, with what is said of it alone."""
    listed = said.pop("regions", None) or []
    known = {
        str(each.get("name")) if isinstance(each, Mapping) else str(each): each for each in listed
    }
    wanted = region or str(said.get("region_name") or "")
    if known:
        wanted = wanted or next(iter(known))
        if wanted not in known:
            raise BadConfiguration(
                f'the cloud "{name}" has no region "{wanted}"; known are {", ".join(known)}'
            )
        chosen = known[wanted]
        if isinstance(chosen, Mapping):
            said |= _today(chosen.get("values") or {})
    return {**said, "region_name": wanted}


def _today(written: Mapping[str, Any]) -> dict[str, Any]:
    """Return options under today's names, with underscores."""
    found: dict[str, Any] = {}
    for name, value in written.items():
        plain = str(name).replace("-", "_")
        if plain in _OLD_NAMES:
            found.setdefault(_OLD_NAMES[plain], value)
        else:
            found[plain] = value
    return found


def _is_yes(value: Any) -> bool:
    text = str(value).lower()
    if text in _YES:
        return True
    if text in _NO:
        return False
    raise BadConfiguration(f"verify and insecure are true or false, not {value!r}")


def _path(value: Any) -> str:
    return str(Path(str(value)).expanduser()) if value else ""
