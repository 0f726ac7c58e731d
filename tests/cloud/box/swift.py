"""Writes the configuration of Swift: four servers in one process, one replica, on disk."""

from tests.cloud.box.places import (
    CLOUD,
    ETC,
    KEYSTONE,
    PASSWORD,
    PORTS,
    SWIFT_PORTS,
    VAR,
)

BACK = """[DEFAULT]
devices = {var}/swift
mount_check = false
bind_ip = 127.0.0.1
bind_port = {port}
user = root
swift_dir = {etc}/swift
disable_fallocate = true
fallocate_reserve = 0
log_level = WARNING
log_address = {cloud}/run/no-syslog
[pipeline:main]
pipeline = {kind}-server
[app:{kind}-server]
use = egg:swift#{kind}
allow_versions = true
[{kind}-replicator]
[{kind}-updater]
[{kind}-auditor]
"""
PROXY = """[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
user = root
swift_dir = {etc}/swift
log_level = WARNING
log_address = {cloud}/run/no-syslog
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck proxy-logging cache listing_formats bulk tempurl
    formpost authtoken keystoneauth copy container-quotas account-quotas slo dlo versioned_writes
    symlink proxy-logging proxy-server
[app:proxy-server]
use = egg:swift#proxy
allow_account_management = true
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:healthcheck]
use = egg:swift#healthcheck
[filter:proxy-logging]
use = egg:swift#proxy_logging
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:bulk]
use = egg:swift#bulk
[filter:tempurl]
use = egg:swift#tempurl
methods = GET HEAD PUT POST DELETE
[filter:formpost]
use = egg:swift#formpost
[filter:authtoken]
paste.filter_factory = keystonemiddleware.auth_token:filter_factory
www_authenticate_uri = {ks}
auth_url = {ks}
auth_type = password
project_domain_name = Default
user_domain_name = Default
project_name = service
username = swift
password = {pw}
delay_auth_decision = true
service_token_roles_required = true
[filter:keystoneauth]
use = egg:swift#keystoneauth
operator_roles = admin, member
reseller_prefix = AUTH
[filter:copy]
use = egg:swift#copy
[filter:container-quotas]
use = egg:swift#container_quotas
[filter:account-quotas]
use = egg:swift#account_quotas
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_versioned_writes = true
allow_object_versioning = true
[filter:symlink]
use = egg:swift#symlink
"""


def configure_swift() -> None:
    """Write the files of the proxy and of the three servers behind it."""
    folder = ETC / "swift"
    folder.mkdir(parents=True, exist_ok=True)
    policy = "[storage-policy:0]\nname = one\ndefault = yes\n"
    hashing = "[swift-hash]\nswift_hash_path_suffix = box\n"
    (folder / "swift.conf").write_text(hashing + policy)
    places = {"var": VAR, "etc": ETC, "cloud": CLOUD, "ks": KEYSTONE, "pw": PASSWORD}
    for kind, port in SWIFT_PORTS.items():
        text = BACK.format(kind=kind, port=port, **places)
        (folder / f"{kind}-server.conf").write_text(text)
    (folder / "proxy-server.conf").write_text(PROXY.format(port=PORTS["swift"], **places))
