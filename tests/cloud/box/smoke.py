"""Exercises every service of the test cloud through openstacksdk, as the user demo.

Tells whether the cloud itself works, when a test against it fails.
"""

import sys
import time
import uuid
from collections.abc import Callable
from typing import Any

import openstack

from tests.cloud.box.places import KEYSTONE, PASSWORD, REGION

TAG = f"smoke-{uuid.uuid4().hex[:6]}"


class Smoke:
    """The steps; those before leave in ``made`` what those after need."""

    def __init__(self) -> None:
        self.cloud: Any = openstack.connect(
            load_yaml_config=False,
            load_envvars=False,
            auth_type="password",
            auth_url=KEYSTONE,
            username="demo",
            password=PASSWORD,
            project_name="demo",
            user_domain_name="Default",
            project_domain_name="Default",
            region_name=REGION,
        )
        self.made: dict[str, Any] = {}

    def neutron(self) -> None:
        network, made = self.cloud.network, self.made
        public = network.find_network("public").id
        made["net"] = network.create_network(name=TAG)
        made["subnet"] = network.create_subnet(
            name=TAG, network_id=made["net"].id, ip_version=4, cidr="10.9.0.0/24"
        )
        gateway = {"network_id": public}
        made["router"] = network.create_router(name=TAG, external_gateway_info=gateway)
        network.add_interface_to_router(made["router"], subnet_id=made["subnet"].id)
        made["group"] = network.create_security_group(name=TAG)
        network.create_security_group_rule(
            security_group_id=made["group"].id,
            direction="ingress",
            protocol="tcp",
            port_range_min=22,
            port_range_max=22,
        )
        made["port"] = network.create_port(
            name=TAG, network_id=made["net"].id, security_group_ids=[made["group"].id]
        )
        made["address"] = network.create_ip(floating_network_id=public, port_id=made["port"].id)
        parent = network.create_port(name=f"{TAG}-trunk", network_id=made["net"].id)
        network.delete_trunk(network.create_trunk(name=TAG, port_id=parent.id))
        network.delete_port(parent)

    def glance(self) -> None:
        form = {"disk_format": "raw", "container_format": "bare"}
        image = self.cloud.create_image(TAG, data=b"x" * 4096, wait=True, **form)
        assert self.cloud.image.get_image(image.id).status == "active"
        self.cloud.image.delete_image(image)

    def nova(self) -> None:
        compute = self.cloud.compute
        image = self.cloud.image.find_image("cirros").id
        key = compute.create_keypair(name=TAG)
        server = compute.create_server(
            name=TAG,
            image_id=image,
            flavor_id=compute.find_flavor("m1.tiny").id,
            key_name=key.name,
            networks=[{"port": self.made["port"].id}],
            user_data="aGk=",
            metadata={"a": "b"},
        )
        self.made["server"] = server

        def becomes(status: str) -> None:
            _until(lambda: compute.get_server(server.id), status, "server")

        becomes("ACTIVE")
        assert self.cloud.network.get_port(self.made["port"].id).status == "ACTIVE"
        for act, status in (
            (compute.stop_server, "SHUTOFF"),
            (compute.start_server, "ACTIVE"),
            (compute.suspend_server, "SUSPENDED"),
            (compute.resume_server, "ACTIVE"),
            (compute.shelve_server, "SHELVED_OFFLOADED"),
            (compute.unshelve_server, "ACTIVE"),
            (compute.rescue_server, "RESCUE"),
            (compute.unrescue_server, "ACTIVE"),
        ):
            act(server)
            becomes(status)
        compute.resize_server(server, compute.find_flavor("m1.small").id)
        becomes("VERIFY_RESIZE")
        compute.confirm_server_resize(server)
        becomes("ACTIVE")
        compute.rebuild_server(server, image=image)
        becomes("ACTIVE")
        interface = compute.create_server_interface(server, net_id=self.made["net"].id)
        compute.delete_server_interface(interface, server=server)
        group = compute.create_server_group(name=TAG, policy="anti-affinity")
        compute.delete_server_group(group)

    def cinder(self) -> None:
        storage, compute = self.cloud.block_storage, self.cloud.compute
        volume = storage.create_volume(size=1, name=TAG)

        def becomes(status: str, which: Any = volume) -> None:
            _until(lambda: storage.get_volume(which.id), status, "volume")

        becomes("available")
        if server := self.made.get("server"):
            compute.create_volume_attachment(server, volume_id=volume.id)
            becomes("in-use")
            compute.delete_volume_attachment(server, volume.id)
            becomes("available")
        storage.extend_volume(volume, 2)
        becomes("available")
        snapshot = storage.create_snapshot(volume_id=volume.id, name=TAG)
        _until(lambda: storage.get_snapshot(snapshot.id), "available", "snapshot")
        copies = [
            storage.create_volume(size=2, snapshot_id=snapshot.id),
            storage.create_volume(size=2, source_volume_id=volume.id),
            storage.create_volume(size=1, image_id=self.cloud.image.find_image("cirros").id),
        ]
        for each in copies:
            becomes("available", each)
            storage.delete_volume(each)
        storage.delete_snapshot(snapshot)
        _until(lambda: storage.find_snapshot(snapshot.id), None, "snapshot")
        storage.delete_volume(volume)
        _until(lambda: storage.find_volume(volume.id), None, "volume")

    def barbican(self) -> None:
        keys = self.cloud.key_manager
        secret = keys.create_secret(name=TAG, payload="x", payload_content_type="text/plain")
        secret_id = secret.secret_ref.rsplit("/", 1)[-1]
        assert keys.get_secret(secret_id).status == "ACTIVE"
        keys.delete_secret(secret_id)

    def swift(self) -> None:
        store = self.cloud.object_store
        store.create_container(name=TAG)
        store.upload_object(container=TAG, name="a", data=b"hello")
        assert store.download_object("a", container=TAG) == b"hello"
        store.delete_object("a", container=TAG)
        store.delete_container(TAG)

    def designate(self) -> None:
        dns = self.cloud.dns
        zone = dns.create_zone(name=f"{TAG}.test.", email="a@box.test")
        _until(lambda: dns.get_zone(zone.id), "ACTIVE", "zone")
        records = dns.create_recordset(
            zone, name=f"www.{zone.name}", type="A", records=["10.0.0.1"]
        )
        _until(lambda: dns.get_recordset(records.id, zone.id), "ACTIVE", "record set")
        dns.delete_zone(zone)
        _until(lambda: dns.find_zone(zone.name), None, "zone")

    def octavia(self) -> None:
        balancing = self.cloud.load_balancer
        subnet = self.made.get("subnet") or self.cloud.network.find_subnet("private-subnet")
        balancer = balancing.create_load_balancer(name=TAG, vip_subnet_id=subnet.id)

        def ready() -> None:
            find = balancing.get_load_balancer
            _until(lambda: find(balancer.id), "ACTIVE", "balancer", "provisioning_status")

        ready()
        listener = balancing.create_listener(
            name=TAG, protocol="HTTP", protocol_port=80, load_balancer_id=balancer.id
        )
        ready()
        pool = balancing.create_pool(
            name=TAG, protocol="HTTP", listener_id=listener.id, lb_algorithm="ROUND_ROBIN"
        )
        ready()
        balancing.create_member(pool, address="10.9.0.5", protocol_port=80, subnet_id=subnet.id)
        ready()
        balancing.delete_load_balancer(balancer, cascade=True)
        find = balancing.find_load_balancer
        _until(lambda: find(balancer.id), None, "balancer", "provisioning_status")

    def clean(self) -> None:
        network, compute, made = self.cloud.network, self.cloud.compute, self.made
        if server := made.get("server"):
            compute.delete_server(server)
            _until(lambda: compute.find_server(server.id), None, "server")
            compute.delete_keypair(TAG)
        if "net" in made:
            network.delete_ip(made["address"])
            network.delete_port(made["port"])
            network.remove_interface_from_router(made["router"], subnet_id=made["subnet"].id)
            network.delete_router(made["router"])
            network.delete_network(made["net"])
            network.delete_security_group(made["group"])


def _until(
    find: Callable[[], Any], wanted: str | None, what: str, field: str = "status", limit: float = 90
) -> None:
    end = time.monotonic() + limit
    while True:
        found = find()
        status = getattr(found, field, None) if found is not None else None
        if status == wanted:
            return
        if status in ("ERROR", "error") or time.monotonic() > end:
            raise AssertionError(f"the {what} is {status}, not {wanted}")
        time.sleep(0.3)


def main(*names: str) -> None:
    """Run the steps of services, of all without names; network comes first, it is needed."""
    smoke, failed = Smoke(), []
    for step in (
        *(smoke.neutron, smoke.glance, smoke.nova, smoke.cinder, smoke.barbican),
        *(smoke.swift, smoke.designate, smoke.octavia, smoke.clean),
    ):
        name = step.__name__
        if names and name not in (*names, "neutron", "clean"):
            continue
        began = time.monotonic()
        try:
            step()
        except Exception as error:
            failed.append(name)
            print(f"FAILED {name}: {error!r}", flush=True)
        else:
            print(f"{name:10} {time.monotonic() - began:6.1f} s", flush=True)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
