"""OpenStack's own ways to name a cloud: `OS_*` and clouds.yaml."""

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hotplate.cli.output.exit_codes import Code, Stop
from hotplate.cli.session.place import PROJECT, Place
from hotplate.client.http import httpx

_WITHOUT_KEYSTONE = ("none", "noauth", "admin_token", "token_endpoint")
_FILES = ("clouds.yaml", "clouds.yml")


def cloud_place(
    cloud: str, project: str, environ: Mapping[str, str], through_keystone: bool
) -> Place | None:
    """Return where the orchestration API of a cloud is. Raises Stop.

    None if it would have to be asked of Keystone, and that is not wanted.
    """
    name = cloud or environ.get("OS_CLOUD", "")
    said = _written(name, environ) if name else {}
    auth = said.get("auth") if isinstance(said.get("auth"), dict) else {}
    auth = auth or {}
    auth_type = str(said.get("auth_type") or environ.get("OS_AUTH_TYPE") or "")
    endpoint = str(
        said.get("orchestration_endpoint_override")
        or auth.get("endpoint")
        or environ.get("OS_ENDPOINT")
        or environ.get("OS_ENDPOINT_OVERRIDE")
        or ""
    )
    token = str(auth.get("token") or environ.get("OS_TOKEN") or "")
    if auth_type in _WITHOUT_KEYSTONE or (
        not auth_type and endpoint and not _has_keystone(auth, environ)
    ):
        if not endpoint:
            raise Stop(
                f"{_cloud_words(name)} has the auth type {auth_type} and no endpoint",
                Code.USAGE,
                "set OS_ENDPOINT to http://HOST:8004/v1/PROJECT",
            )
        return Place(_base(endpoint, project, environ), {"x-auth-token": token} if token else {})
    return _through_keystone(name, project) if through_keystone else None


def _has_keystone(auth: Mapping[str, Any], environ: Mapping[str, str]) -> bool:
    return bool(auth.get("auth_url") or environ.get("OS_AUTH_URL"))


def _base(endpoint: str, project: str, environ: Mapping[str, str]) -> str:
    root, version, below = endpoint.rstrip("/").partition("/v1")
    below = below.strip("/")
    named = project or below or environ.get("OS_PROJECT_ID") or PROJECT
    return f"{root}{version or '/v1'}/{named if named == below else quote(named, safe='~')}"


def _written(name: str, environ: Mapping[str, str]) -> dict[str, Any]:
    """Return what clouds.yaml says of a cloud. Raises Stop if it says nothing."""
    import yaml

    searched: list[str] = []
    for file in _places(environ):
        searched.append(str(file))
        try:
            document = yaml.safe_load(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            continue
        except (OSError, ValueError, yaml.YAMLError) as error:
            message = " ".join(str(error).split())
            raise Stop(f"{file} cannot be read: {message}", Code.USAGE) from None
        clouds = document.get("clouds") if isinstance(document, dict) else None
        found = clouds.get(name) if isinstance(clouds, dict) else None
        if isinstance(found, dict):
            return found
    raise Stop(
        f'there is no cloud "{name}" in clouds.yaml', Code.USAGE, f"searched {', '.join(searched)}"
    )


def _places(environ: Mapping[str, str]) -> list[Path]:
    if environ.get("OS_CLIENT_CONFIG_FILE"):
        return [Path(environ["OS_CLIENT_CONFIG_FILE"])]
    home = Path(environ.get("HOME") or os.path.expanduser("~"))
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    folders = (Path(), config / "openstack", Path("/etc/openstack"))
    return [folder / file for folder in folders for file in _FILES]


def _through_keystone(name: str, project: str) -> Place:
    try:
        from keystoneauth1.exceptions import ClientException
        from openstack.config import OpenStackConfig
        from openstack.exceptions import ConfigException
    except ModuleNotFoundError:
        raise Stop(
            f"{_cloud_words(name)} is reached through Keystone, and the code for that is not "
            "installed",
            Code.USAGE,
            "install hotplate[openstack]",
        ) from None
    try:
        region = OpenStackConfig().get_one(cloud=name or None)
        session = region.get_session()
        endpoint = session.get_endpoint(
            service_type="orchestration",
            interface=region.get_interface("orchestration"),
            region_name=region.get_region_name("orchestration"),
        )
    except (ClientException, ConfigException) as error:
        message = " ".join(str(error).split())
        raise Stop(f"{_cloud_words(name)} refuses the login: {message}", Code.REFUSED) from None
    if not endpoint:
        raise Stop(
            f"{_cloud_words(name)} has no orchestration service in its catalogue",
            Code.USAGE,
            "name the server with --url",
        )
    return Place(_base(str(endpoint), project, {}), auth=_KeystoneToken(session))


def _cloud_words(name: str) -> str:
    return f'the cloud "{name}"' if name else "the cloud of the OS_ variables"


class _KeystoneToken(httpx.Auth):
    """Sends the session's token, and a fresh one when it has expired."""

    def __init__(self, session: Any) -> None:
        self._session = session

    async def async_auth_flow(
        self, request: httpx.Request
    ) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """Sign a request; once more with a new token if the first is not taken."""
        request.headers["x-auth-token"] = await asyncio.to_thread(self._session.get_token) or ""
        answer = yield request
        if answer.status_code == 401 and await asyncio.to_thread(self._session.invalidate):
            request.headers["x-auth-token"] = await asyncio.to_thread(self._session.get_token) or ""
            yield request
