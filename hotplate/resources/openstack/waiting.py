"""Which objects of a cloud must be there before others, although nothing refers to them.

One constant for each type, for its `waits_for`. Neutron gives a port addresses of the subnets that
its network has at that moment; it accepts a floating IP only for a port that a router with a
gateway reaches, and a route only if an interface leads to its next hop.
"""

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from typing import Final

from hotplate.resources.capabilities import Rule, SameValue
from hotplate.resources.written_stack import Value, WrittenPart, WrittenResource, WrittenStack
from hotplate.template import UNKNOWN, Reference


class _Type(StrEnum):
    FLOATING_IP = "OS::Neutron::FloatingIP"
    GATEWAY = "OS::Neutron::RouterGateway"
    INTERFACE = "OS::Neutron::RouterInterface"
    POLICY = "OS::Neutron::RBACPolicy"
    PORT = "OS::Neutron::Port"
    ROUTE_TABLE = "AWS::EC2::RouteTable"
    ROUTER = "OS::Neutron::Router"
    SEGMENT = "OS::Neutron::Segment"
    SUBNET = "OS::Neutron::Subnet"
    TRUNK = "OS::Neutron::Trunk"


_NETWORK: Final = "network|network_id"
_ROUTER: Final = "router|router_id"
_SUBNET: Final = "subnet|subnet_id"
_OUTSIDE: Final = "external_gateway_info.network"
_FLOATING_NETWORK: Final = "floating_network|floating_network_id"

_UNKNOWN: Final[frozenset[Value]] = frozenset((UNKNOWN,))


def _resource(value: Value, type_name: str, stack: WrittenStack) -> WrittenResource | None:
    """Return the resource of a type that a value refers to; None for anything else."""
    found = stack.named(value.name) if isinstance(value, Reference) else None
    return found if found is not None and found.type_name == type_name else None


def _of_referred(
    values: Iterable[Value],
    type_name: str,
    stack: WrittenStack,
    read: Callable[[WrittenResource], Iterable[Value]],
) -> Iterator[Value]:
    """Yield what is read of the resources of a type; of whatever else it is unknown."""
    for value in values:
        other = _resource(value, type_name, stack)
        yield from _UNKNOWN if other is None else read(other)


# Where a port has its addresses: in subnets that are written, else somewhere in its network.


def _subnets_of_port(port: WrittenResource) -> frozenset[Value]:
    return port.values(f"fixed_ips[].{_SUBNET}")


def _networks_of_port(port: WrittenResource) -> frozenset[Value]:
    return port.values(_NETWORK)


def _networks_with_any_address(port: WrittenResource) -> frozenset[Value]:
    """Return the network of a port, unless all of its addresses are in subnets that are written."""
    addresses = port.parts("fixed_ips[]")
    if addresses and all(each.values(_SUBNET) for each in addresses):
        return frozenset()
    return _networks_of_port(port)


# What a router interface leads to.


def _subnets_of_interface(interface: WrittenResource, stack: WrittenStack) -> Iterator[Value]:
    yield from interface.values(_SUBNET)
    ports = interface.values("port|port_id")
    yield from _of_referred(
        ports, _Type.PORT, stack, lambda port: _subnets_of_port(port) or _UNKNOWN
    )


def _networks_of_interface(interface: WrittenResource, stack: WrittenStack) -> Iterator[Value]:
    subnets = interface.values(_SUBNET)
    yield from _of_referred(subnets, _Type.SUBNET, stack, lambda subnet: subnet.values(_NETWORK))
    ports = interface.values("port|port_id")
    yield from _of_referred(ports, _Type.PORT, stack, _networks_of_port)


def _interfaces_to(
    subnets: Iterable[Value], networks: Iterable[Value], stack: WrittenStack
) -> Iterator[str]:
    """Yield the interfaces that lead to subnets, or to any subnet of networks."""
    for interface in stack.matching(_Type.INTERFACE, _subnets_of_interface, subnets):
        yield interface.name
    for interface in stack.matching(_Type.INTERFACE, _networks_of_interface, networks):
        yield interface.name


def _interfaces_to_ports(ports: Iterable[Value], stack: WrittenStack) -> Iterator[str]:
    ports = frozenset(ports)
    subnets = _of_referred(ports, _Type.PORT, stack, _subnets_of_port)
    networks = _of_referred(ports, _Type.PORT, stack, _networks_with_any_address)
    yield from _interfaces_to(subnets, networks, stack)


def _interfaces_to_port_at(path: str) -> Rule:
    """Return the rule to wait for the interfaces that lead to the port at a path."""
    return lambda own, stack: _interfaces_to_ports(own.values(path), stack)


def _gateways_of_floating_ip_at(path: str) -> Rule:
    """Return the rule to wait for the gateways to the network of the floating IP at a path."""

    def rule(own: WrittenResource, stack: WrittenStack) -> Iterator[str]:
        networks = frozenset(
            _of_referred(
                own.values(path),
                _Type.FLOATING_IP,
                stack,
                lambda address: address.values(_FLOATING_NETWORK),
            )
        )
        for type_name, outside in ((_Type.ROUTER, _OUTSIDE), (_Type.GATEWAY, _NETWORK)):
            for other in stack.matching(type_name, outside, networks):
                yield other.name

    return rule


def _interfaces_of_service(own: WrittenResource, stack: WrittenStack) -> Iterator[str]:
    """Yield the interfaces of the service's router to its subnet, without one to any."""
    routers, subnets = own.values(_ROUTER), own.values(_SUBNET)
    found = (
        stack.matching(_Type.INTERFACE, _subnets_of_interface, subnets)
        if subnets
        else stack.matching(_Type.INTERFACE, _ROUTER, routers)
    )
    for interface in found:
        others = interface.values(_ROUTER)
        if routers & others or UNKNOWN in routers | others:
            yield interface.name


# Servers: each entry of their networks is a port, a subnet, a network, or left to Nova.

_ENTRY_NETWORK: Final = "network|uuid"


def _subnets_of_server(own: WrittenResource, stack: WrittenStack) -> Iterator[str]:
    entries = own.parts("networks[]")
    if not entries or any(_is_left_to_nova(entry) for entry in entries):
        # Nova picks among the networks that there are.
        yield from (subnet.name for subnet in stack.of_type(_Type.SUBNET))
        return
    for entry in entries:
        if not entry.values("port") and not entry.values("subnet"):
            for subnet in stack.matching(_Type.SUBNET, _NETWORK, entry.values(_ENTRY_NETWORK)):
                yield subnet.name


def _is_left_to_nova(entry: WrittenPart) -> bool:
    if entry.written is UNKNOWN:
        return True
    named = (entry.values(name) for name in ("port", "subnet", _ENTRY_NETWORK))
    return not any(named) and entry.values("allocate_network") != {"none"}


def _interfaces_of_server(own: WrittenResource, stack: WrittenStack) -> Iterator[str]:
    for entry in own.parts("networks[]"):
        if not entry.values("floating_ip"):
            continue
        if ports := entry.values("port"):
            yield from _interfaces_to_ports(ports, stack)
            continue
        subnets = entry.values("subnet")
        yield from _interfaces_to(subnets, () if subnets else entry.values(_ENTRY_NETWORK), stack)


def _shared_network(policy: WrittenResource, stack: WrittenStack) -> frozenset[Value]:
    is_of_network = policy.values("object_type") & {"network", UNKNOWN}
    return policy.values("object_id") if is_of_network else frozenset()


def _policies_of_server(own: WrittenResource, stack: WrittenStack) -> Iterator[str]:
    networks = own.values(f"networks[].{_ENTRY_NETWORK}")
    for policy in stack.matching(_Type.POLICY, _shared_network, networks):
        yield policy.name


SUBNET: Final[tuple[Rule, ...]] = (SameValue(_Type.SEGMENT, _NETWORK, "network"),)
PORT: Final[tuple[Rule, ...]] = (SameValue(_Type.SUBNET, _NETWORK, _NETWORK),)
ROUTER: Final[tuple[Rule, ...]] = (SameValue(_Type.SUBNET, _OUTSIDE, _NETWORK),)
ROUTER_GATEWAY: Final[tuple[Rule, ...]] = (
    SameValue(_Type.INTERFACE, _ROUTER, _ROUTER),
    SameValue(_Type.SUBNET, _NETWORK, _NETWORK),
)
FLOATING_IP: Final[tuple[Rule, ...]] = (
    SameValue(_Type.ROUTER, _FLOATING_NETWORK, _OUTSIDE),
    SameValue(_Type.GATEWAY, _FLOATING_NETWORK, _NETWORK),
    _interfaces_to_port_at("port_id"),
)
FLOATING_IP_ASSOCIATION: Final[tuple[Rule, ...]] = (
    _gateways_of_floating_ip_at("floatingip_id"),
    _interfaces_to_port_at("port_id"),
)
FLOATING_IP_PORT_FORWARD: Final[tuple[Rule, ...]] = (
    _gateways_of_floating_ip_at("floating_ip"),
    _interfaces_to_port_at("internal_port"),
)
EXTRA_ROUTE: Final[tuple[Rule, ...]] = (
    SameValue(_Type.INTERFACE, "router_id", _ROUTER),
    SameValue(_Type.GATEWAY, "router_id", _ROUTER),
)
EXTRA_ROUTE_SET: Final[tuple[Rule, ...]] = (SameValue(_Type.INTERFACE, "router", _ROUTER),)
VPN_SERVICE: Final[tuple[Rule, ...]] = (_interfaces_of_service,)
SERVER: Final[tuple[Rule, ...]] = (
    _subnets_of_server,
    SameValue(_Type.TRUNK, "networks[].port", "port"),
    _interfaces_of_server,
    _policies_of_server,
)
VPC_GATEWAY_ATTACHMENT: Final[tuple[Rule, ...]] = (SameValue(_Type.ROUTE_TABLE, "VpcId", "VpcId"),)
