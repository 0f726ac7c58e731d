"""Writes every configuration file of the test cloud."""

import base64
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.cloud.box.places import (
    ETC,
    KEYSTONE,
    LOG,
    NAME_SERVER_PORT,
    PASSWORD,
    PORTS,
    REGION,
    RUN,
    VAR,
    VENV,
    database_url,
    url,
)
from tests.cloud.box.swift import configure_swift

Section = dict[str, Any]
Sections = dict[str, Section]


def creds(user: str, **extra: Any) -> Section:
    """Return how a service identifies itself to others."""
    return {
        "auth_type": "password",
        "auth_url": KEYSTONE,
        "username": user,
        "password": PASSWORD,
        "user_domain_name": "Default",
        "project_name": "service",
        "project_domain_name": "Default",
        "region_name": REGION,
        **extra,
    }


def authtoken(user: str) -> Section:
    """Return how a service checks tokens."""
    return creds(
        user,
        www_authenticate_uri=KEYSTONE,
        token_cache_time=30,
        service_token_roles="service",
        service_token_roles_required="true",
    )


POOLS = f"""- name: default
  description: Hotplate test cloud
  attributes: {{}}
  ns_records:
    - hostname: ns1.box.test.
      priority: 1
  nameservers:
    - host: 127.0.0.1
      port: {NAME_SERVER_PORT}
  targets:
    - type: fake
      description: no real name server
      masters:
        - host: 127.0.0.1
          port: {NAME_SERVER_PORT}
      options:
        host: 127.0.0.1
        port: {NAME_SERVER_PORT}
"""

POOL = {"max_pool_size": 10, "max_overflow": 40, "connection_recycle_time": 3000}


def base(service: str, **default: Any) -> Sections:
    """Return the sections that all services have."""
    return {
        "DEFAULT": {
            "debug": "false",
            "log_file": LOG / f"{service}.log",
            "transport_url": "fake:///",
            "use_stderr": "false",
            **default,
        },
        "database": {"connection": database_url(service), **POOL},
        "keystone_authtoken": authtoken(service),
        "oslo_concurrency": {"lock_path": RUN / "lock"},
        "oslo_messaging_notifications": {"driver": "noop"},
    }


def write(path: str, sections: Mapping[str, Section]) -> None:
    """Write a configuration file."""
    target = ETC / path
    target.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for name, options in sections.items():
        lines += [f"[{name}]", *(f"{key} = {value}" for key, value in options.items()), ""]
    target.write_text("\n".join(lines))


def paste(service: str, name: str = "api-paste.ini") -> Path:
    """Take over the description of a service's layers that came with it."""
    target = ETC / service / name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(VENV / "etc" / service / name, target)
    return target


def keystone() -> None:
    c = base("keystone")
    del c["keystone_authtoken"]
    c["DEFAULT"]["max_token_size"] = 512
    c["token"] = {"provider": "fernet", "expiration": 86400}
    c["fernet_tokens"] = {"key_repository": ETC / "keystone/fernet-keys"}
    c["fernet_receipts"] = {"key_repository": ETC / "keystone/fernet-keys"}
    c["credential"] = {"key_repository": ETC / "keystone/credential-keys"}
    # cheap hashes: this cloud holds no secrets
    c["identity"] = {"password_hash_rounds": 4}
    # one process, so the in-process cache is coherent; without it one token
    # check costs some 250 queries
    c["cache"] = {"enabled": "true", "backend": "dogpile.cache.memory", "expiration_time": 600}
    write("keystone/keystone.conf", c)


def glance() -> None:
    c = base(
        "glance",
        enabled_backends="box:file",
        show_multiple_locations="true",
        worker_self_reference_url=url("glance"),
    )
    c["glance_store"] = {"default_backend": "box"}
    c["box"] = {"filesystem_store_datadir": VAR / "glance/images"}
    c["os_glance_staging_store"] = {"filesystem_store_datadir": VAR / "glance/staging"}
    c["os_glance_tasks_store"] = {"filesystem_store_datadir": VAR / "glance/tasks"}
    c["paste_deploy"] = {
        "flavor": "keystone",
        "config_file": paste("glance", "glance-api-paste.ini"),
    }
    c["import_filtering_opts"] = {
        "allowed_ports": f"[80,443,{','.join(str(p) for p in range(18000, 18100))}]",
        "disallowed_hosts": "[]",
    }
    c["image_import_opts"] = {"image_import_plugins": "[]"}
    write("glance/glance-api.conf", c)


def placement() -> None:
    c = base("placement")
    c["placement_database"] = c.pop("database")
    write("placement/placement.conf", c)


def neutron() -> None:
    c = base(
        "neutron",
        core_plugin="ml2",
        service_plugins="router,qos,trunk,segments,port_forwarding,"
        "metering,auto_allocate,network_ip_availability,flavors",
        auth_strategy="keystone",
        api_paste_config=paste("neutron"),
        state_path=VAR / "neutron",
        dns_domain="box.test.",
        api_extensions_path="",
        allow_overlapping_ips="true",
        notify_nova_on_port_status_changes="true",
        notify_nova_on_port_data_changes="true",
        send_events_interval=1,
        dhcp_agent_notification="false",
        max_allowed_address_pair=100,
        router_distributed="false",
        l3_ha="false",
        rpc_workers=0,
        rpc_state_report_workers=0,
    )
    c["nova"] = creds("neutron")
    c["placement"] = creds("neutron")
    c["designate"] = creds("neutron", url=url("designate", "/v2"), allow_reverse_dns_lookup="false")
    c["quotas"] = {
        f"quota_{kind}": -1
        for kind in (
            *("network", "subnet", "port", "router", "floatingip"),
            *("security_group", "security_group_rule"),
        )
    }
    c["ml2"] = {
        "type_drivers": "local,flat,vlan,vxlan,geneve",
        "tenant_network_types": "vxlan",
        "mechanism_drivers": "openvswitch,box",
        "extension_drivers": "port_security,qos,dns_domain_ports,"
        "data_plane_status,uplink_status_propagation",
    }
    c["ml2_type_flat"] = {"flat_networks": "*"}
    c["ml2_type_vlan"] = {"network_vlan_ranges": "physnet1:1:4000,physnet2"}
    c["ml2_type_vxlan"] = {"vni_ranges": "1:2000"}
    c["ml2_type_geneve"] = {"vni_ranges": "1:2000", "max_header_size": 38}
    c["securitygroup"] = {"enable_security_group": "true"}
    write("neutron/neutron.conf", c)


def nova() -> None:
    c = base(
        "nova",
        compute_driver="box.BoxDriver",
        host="box",
        allow_resize_to_same_host="true",
        state_path=VAR / "nova",
        instances_path=VAR / "nova/instances",
        enabled_apis="osapi_compute",
        report_interval=10,
        service_down_time=3600,
        instance_usage_audit="false",
        resume_guests_state_on_host_boot="true",
        sync_power_state_interval=-1,
        periodic_fuzzy_delay=0,
        heal_instance_info_cache_interval=-1,
        default_ephemeral_format="",
        shutdown_timeout=0,
        block_device_allocate_retries_interval=1,
        block_device_allocate_retries=120,
    )
    c["DEFAULT"]["my_ip"] = "127.0.0.1"
    c["database"]["connection"] = database_url("nova_cell1")
    c["api_database"] = dict(connection=database_url("nova_api"), **POOL)
    c["api"] = {"auth_strategy": "keystone"}
    c["wsgi"] = {"api_paste_config": paste("nova")}
    c["placement"] = creds("nova")
    c["service_user"] = creds("nova", send_service_user_token="true")
    c["neutron"] = creds("nova", default_floating_pool="public")
    c["glance"] = {"api_servers": url("glance")}
    c["cinder"] = creds("nova", os_region_name="RegionOne", catalog_info="volumev3::publicURL")
    c["key_manager"] = {"backend": "barbican"}
    c["barbican"] = {"auth_endpoint": KEYSTONE, "barbican_endpoint": url("barbican")}
    c["quota"] = dict.fromkeys(
        [
            *("instances", "cores", "ram", "key_pairs"),
            *("server_groups", "server_group_members", "metadata_items"),
        ],
        -1,
    )
    c["scheduler"] = {"discover_hosts_in_cells_interval": -1, "workers": 1}
    c["filter_scheduler"] = {
        "enabled_filters": "ComputeFilter,ComputeCapabilitiesFilter,"
        "ImagePropertiesFilter,ServerGroupAntiAffinityFilter,"
        "ServerGroupAffinityFilter,SameHostFilter,DifferentHostFilter",
        "track_instance_changes": "false",
    }
    c["vnc"] = {"enabled": "false"}
    c["os_vif_ovs"] = {"ovsdb_interface": "vsctl"}
    c["compute"] = {"image_type_exclude_list": ""}
    c["conductor"] = {"workers": 1}
    c["workarounds"] = {"skip_cpu_compare_at_startup": "true"}
    write("nova/nova.conf", c)


def cinder() -> None:
    c = base(
        "cinder",
        auth_strategy="keystone",
        host="box",
        api_paste_config=paste("cinder"),
        state_path=VAR / "cinder",
        enabled_backends="box",
        default_volume_type="__DEFAULT__",
        scheduler_default_filters="AvailabilityZoneFilter,CapacityFilter,CapabilitiesFilter",
        glance_api_servers=url("glance"),
        image_conversion_dir=VAR / "cinder/conversion",
        quota_volumes=-1,
        quota_snapshots=-1,
        quota_gigabytes=-1,
        report_interval=10,
        service_down_time=3600,
        periodic_fuzzy_delay=0,
        allowed_direct_url_schemes="",
        backup_driver="cinder.backup.drivers.posix.PosixBackupDriver",
        backup_posix_path=VAR / "cinder/backup",
        enable_force_upload="true",
        scheduler_driver_init_wait_time=1,
    )
    shutil.copy(VENV / "etc/cinder/resource_filters.json", ETC / "cinder")
    c["DEFAULT"]["resource_query_filters_file"] = ETC / "cinder/resource_filters.json"
    c["DEFAULT"]["my_ip"] = "127.0.0.1"
    c["box"] = {
        "volume_driver": "tests.cloud.box.drivers.volume.BoxVolumeDriver",
        "volume_backend_name": "box",
    }
    c["nova"] = creds("cinder")
    c["service_user"] = creds("cinder", send_service_user_token="true")
    c["coordination"] = {"backend_url": f"file://{VAR}/cinder/coord"}
    c["key_manager"] = {"backend": "barbican"}
    c["barbican"] = {"auth_endpoint": KEYSTONE, "barbican_endpoint": url("barbican")}
    write("cinder/cinder.conf", c)


def barbican() -> None:
    # barbican only looks in ~/.barbican and /etc/barbican: it gets a HOME
    home = "barbican/.barbican/barbican.conf"
    c = base(
        "barbican",
        host_href=url("barbican"),
        db_auto_create="false",
        sql_connection=database_url("barbican"),
    )
    c["secretstore"] = {
        "enabled_secretstore_plugins": "store_crypto",
        "namespace": "barbican.secretstore.plugin",
    }
    c["crypto"] = {"enabled_crypto_plugins": "simple_crypto", "namespace": "barbican.crypto.plugin"}
    c["simple_crypto_plugin"] = {"kek": base64.urlsafe_b64encode(b"hotplate" * 4).decode()}
    c["queue"] = {"enable": "false"}
    write(home, c)
    paste("barbican", "barbican-api-paste.ini")


def designate() -> None:
    c = base(
        "designate",
        state_path=VAR / "designate",
        host="box",
        root_helper="",
        quota_zones=10000,
        quota_zone_recordsets=10000,
    )
    paste("designate")
    c["service:api"] = {
        "api_base_uri": url("designate", "/"),
        "auth_strategy": "keystone",
        "enable_host_header": "false",
        "enable_api_v2": "true",
        "enable_api_admin": "true",
        "enabled_extensions_admin": "quotas, reports",
        "api_paste_config": ETC / "designate/api-paste.ini",
    }
    c["service:central"] = {"workers": 1, "default_pool_id": "794ccc2c-d751-44fe-b57f-8894c9f5c842"}
    c["service:worker"] = {
        "enabled": "true",
        "workers": 1,
        "threads": 20,
        "poll_retry_interval": 1,
        "poll_delay": 0,
        "poll_max_retries": 3,
        "poll_timeout": 5,
        "notify": "false",
    }
    c["service:mdns"] = {"listen": f"127.0.0.1:{NAME_SERVER_PORT}", "workers": 1}
    c["storage:sqlalchemy"] = c.pop("database")
    # the producer bumps serials: without it record sets stay PENDING
    c["producer_task:increment_serial"] = {"interval": 1}
    c["producer_task:delayed_notify"] = {"interval": 1}
    c["producer_task:worker_periodic_recovery"] = {"interval": 10}
    c["coordination"] = {"backend_url": f"file://{VAR}/designate/coord"}
    c["network_api:neutron"] = {}
    c["oslo_middleware"] = {"enable_proxy_headers_parsing": "true"}
    write("designate/designate.conf", c)
    (ETC / "designate/pools.yaml").write_text(POOLS)


def octavia() -> None:
    c = base("octavia", host="box")
    c["DEFAULT"]["transport_url"] = "fake:///"
    c["api_settings"] = {
        "bind_host": "127.0.0.1",
        "bind_port": PORTS["octavia"],
        "auth_strategy": "keystone",
        "api_base_uri": url("octavia"),
        "healthcheck_enabled": "true",
        "allow_tls_terminated_listeners": "true",
        "enabled_provider_drivers": "amphora: The Octavia Amphora driver (no-op backends), "
        "octavia: Alias of amphora, noop_driver: The no-op driver",
        "default_provider_driver": "amphora",
    }
    c["controller_worker"] = {
        "amphora_driver": "amphora_noop_driver",
        "compute_driver": "compute_noop_driver",
        "network_driver": "box",
        "image_driver": "image_noop_driver",
        "volume_driver": "volume_noop_driver",
        "workers": 1,
        "amp_boot_network_list": "00000000-0000-4000-8000-000000000001",
        "amp_active_retries": 2,
        "amp_active_wait_sec": 1,
        "loadbalancer_topology": "SINGLE",
    }
    d = ETC / "octavia"
    c["certificates"] = {
        "cert_generator": "local_cert_generator",
        "cert_manager": "noop_cert_manager",
        "ca_certificate": d / "ca.pem",
        "ca_private_key": d / "ca.key",
        "ca_private_key_passphrase": "box",
        "server_certs_key_passphrase": "insecure-key-do-not-use-this-key",
    }
    c["haproxy_amphora"] = {"server_ca": d / "ca.pem", "client_cert": d / "ca.pem"}
    c["controller_worker"]["client_ca"] = d / "ca.pem"
    c["health_manager"] = {"heartbeat_key": "box", "bind_ip": "127.0.0.1"}
    c["oslo_messaging"] = {"topic": "octavia_prov"}
    c["service_auth"] = creds("octavia")
    c["neutron"] = creds("octavia")
    c["nova"] = {}
    c["networking"] = {
        "allow_vip_network_id": "true",
        "allow_vip_subnet_id": "true",
        "allow_vip_port_id": "true",
    }
    c["driver_agent"] = {
        f"{kind}_socket_path": RUN / f"octavia-{kind}.sock" for kind in ("status", "stats", "get")
    }
    write("octavia/octavia.conf", c)


FOLDERS = (
    "glance/images",
    "glance/staging",
    "glance/tasks",
    "nova/instances",
    "cinder/conversion",
    "cinder/coord",
    "cinder/backup",
    "designate/coord",
    "neutron",
    "swift/d1",
)

DRIVERS = """[neutron.ml2.mechanism_drivers]
box = tests.cloud.box.drivers.network:BoxMechanismDriver
[octavia.network.drivers]
box = tests.cloud.box.drivers.load_balancer:BoxNetworkDriver
"""
"""Neutron and Octavia find drivers by entry points only."""


def drivers() -> None:
    """Announce our drivers as an installed distribution would."""
    folder = ETC / "python" / "hotplate_box-1.0.dist-info"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: hotplate-box\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(DRIVERS)


def configure() -> None:
    """Write all configuration files, and make the folders that they name."""
    for folder in FOLDERS:
        (VAR / folder).mkdir(parents=True, exist_ok=True)
    services = (keystone, glance, placement, neutron, nova, cinder, barbican, designate, octavia)
    for service in (*services, configure_swift, drivers):
        service()
