"""A region whose network service is small, believes no token twice, and asks through the proxy."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cloud.box.places import PASSWORD, PYTHON
from tests.identity.counting_proxy import CountingProxy
from tests.identity.people import Keystone, Person

_PROGRAM = Path(__file__).with_name("network_service.py")


@contextmanager
def small_cloud(keystone: Keystone, proxy: CountingProxy, own: Person) -> Iterator[str]:
    """Run the service for the length of a block; return the region in which it is.

    ``own`` is its own user, who has the role service.
    """
    region = f"small-{keystone.mark}"
    keystone.create("regions", id=region)
    settings = {
        "auth_type": "password",
        "auth_url": proxy.url,
        "www_authenticate_uri": proxy.url,
        "username": own.name,
        "password": PASSWORD,
        "project_name": own.project.name,
        "user_domain_id": "default",
        "project_domain_id": "default",
        "region_name": region,
        "interface": "public",
        "token_cache_time": "-1",
        "http_request_max_retries": "0",
        "service_token_roles": "service",
        "service_token_roles_required": "true",
    }
    environ = {name: text for name, text in os.environ.items() if "proxy" not in name.lower()}
    with subprocess.Popen(
        [PYTHON, _PROGRAM, json.dumps(settings)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environ,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        port = process.stdout.readline().strip()
        _endpoint(keystone, region, "network", f"http://127.0.0.1:{port}")
        _endpoint(keystone, region, "identity", proxy.url)
        try:
            yield region
        finally:
            process.stdin.close()


def _endpoint(keystone: Keystone, region: str, kind: str, url: str) -> None:
    service = keystone.ask("GET", f"/services?type={kind}")["services"][0]["id"]
    keystone.create("endpoints", service_id=service, interface="public", region_id=region, url=url)
