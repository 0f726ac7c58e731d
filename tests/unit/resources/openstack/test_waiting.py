"""Twin of hotplate.resources.openstack.waiting: which object of a cloud waits for which."""

import json
from typing import Any

import pytest
import yaml

from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import RecipeBook, StackFacts
from hotplate.graph import Graph
from hotplate.resources import Catalogue, ResourceType
from hotplate.resources.capabilities import DependsImplicitly, Rule
from hotplate.resources.openstack import waiting
from hotplate.resources.written_stack import WrittenResource


def resource_type(full_name: str, rules: tuple[Rule, ...]) -> ResourceType:
    class Waiting(DependsImplicitly):
        name = full_name
        waits_for = rules

    return Waiting()


CATALOGUE = Catalogue(
    resource_type(name, rules)
    for name, rules in {
        "AWS::EC2::VPCGatewayAttachment": waiting.VPC_GATEWAY_ATTACHMENT,
        "OS::Neutron::ExtraRoute": waiting.EXTRA_ROUTE,
        "OS::Neutron::ExtraRouteSet": waiting.EXTRA_ROUTE_SET,
        "OS::Neutron::FloatingIP": waiting.FLOATING_IP,
        "OS::Neutron::FloatingIPAssociation": waiting.FLOATING_IP_ASSOCIATION,
        "OS::Neutron::FloatingIPPortForward": waiting.FLOATING_IP_PORT_FORWARD,
        "OS::Neutron::Port": waiting.PORT,
        "OS::Neutron::Router": waiting.ROUTER,
        "OS::Neutron::RouterGateway": waiting.ROUTER_GATEWAY,
        "OS::Neutron::Subnet": waiting.SUBNET,
        "OS::Neutron::VPNService": waiting.VPN_SERVICE,
        "OS::Nova::Server": waiting.SERVER,
    }.items()
)


def graph(resources: dict[str, Any], **sections: Any) -> Graph[str]:
    template = {"heat_template_version": "wallaby", "resources": resources, **sections}
    registry = {"OS::Quantum::*": "OS::Neutron::*"}
    recipe = Recipe(json.dumps(template), environment=json.dumps({"resource_registry": registry}))
    return (
        RecipeBook(CATALOGUE)
        .bind(StackFacts("id", "name", "project"), recipe, "digest")
        .template.graph
    )


def waits(text: str) -> set[str]:
    """Return what the resource "own" requires of those whose names begin with "before" or "not".

    Each line is ``name: Type {properties}``; ``>x`` is get_resource, ``?`` is not known yet.
    """
    resources: dict[str, Any] = {
        name: {"type": "OS::Heat::Any"} for name in ("net", "other", "nested")
    }
    for line in filter(None, map(str.strip, text.splitlines())):
        name, kind, properties = line.split(" ", 2)
        full = kind if "::" in kind else f"OS::Neutron::{kind}"
        resources[name] = {"type": full, "properties": told(yaml.safe_load(properties))}
    found = graph(resources).requires("own")
    explicit = {"net", "other", "nested", "router", "port", "subnet", "address"}
    return set(found) - explicit


def told(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: told(item) for key, item in value.items()}
    if isinstance(value, list):
        return [told(item) for item in value]
    if value == "?":
        return {"get_attr": ["nested", "value"]}
    if isinstance(value, str) and value.startswith(">"):
        return {"get_resource": value[1:]}
    return value


PORTS = """
    own Port {network: ">net"}
    before1 Subnet {network: ">net"}
    before2 Subnet {network_id: ">net"}
    before3 Subnet {network: "?"}
    before4 OS::Quantum::Subnet {network_id: ">net"}
    not1 Subnet {network: ">other"}
    not2 Subnet {network: net}
    not3 Net {network: ">net"}
"""
OUTSIDE = """
    before Subnet {network: public}
    not Subnet {network: ">net"}
"""
INTERFACES = """
    before1 RouterInterface {router: ">router", subnet: ">other"}
    before2 RouterInterface {router_id: ">router", subnet: ">other"}
    before3 RouterInterface {router: "?", subnet: ">other"}
    not RouterInterface {router: another, subnet: ">other"}
    router Router {}
"""
GATEWAYS = """
    before1 Router {external_gateway_info: {network: public}}
    before2 Router {external_gateway_info: "?"}
    before3 RouterGateway {router_id: ">net", network: public}
    before4 RouterGateway {router_id: ">net", network_id: public}
    not1 Router {external_gateway_info: {network: elsewhere}}
    not2 Router {}
    not3 RouterGateway {router_id: ">net", network: elsewhere}
"""
# A port without addresses may get one of any subnet of its network.
TO_NETWORK = """
    port Port {network: ">net"}
    before1 RouterInterface {router: r, subnet: ">in_net"}
    before2 RouterInterface {router: r, port: ">port_in_net"}
    before3 RouterInterface {router: r, subnet: "?"}
    before4 RouterInterface {router: r, port: a literal}
    before5 RouterInterface {router: r, subnet_id: ">in_net"}
    not1 RouterInterface {router: r, subnet: ">elsewhere"}
    not2 RouterInterface {router: r, port: ">port_elsewhere"}
    in_net Subnet {network: ">net"}
    elsewhere Subnet {network: ">other"}
    port_in_net Port {network: ">net"}
    port_elsewhere Port {network: ">other"}
"""
TO_SUBNET = """
    port Port {network: ">net", fixed_ips: [{subnet: ">subnet"}, {subnet_id: a literal}]}
    before1 RouterInterface {router: r, subnet: ">subnet"}
    before2 RouterInterface {router: r, subnet: a literal}
    before3 RouterInterface {router: r, port: ">port_in_subnet"}
    before4 RouterInterface {router: r, subnet: "?"}
    not1 RouterInterface {router: r, subnet: ">sibling"}
    not2 RouterInterface {router: r, subnet: another literal}
    subnet Subnet {network: ">net"}
    sibling Subnet {network: ">net"}
    port_in_subnet Port {network: ">net", fixed_ips: [{subnet: ">subnet"}]}
"""


@pytest.mark.parametrize(
    "text",
    [
        PORTS,
        PORTS.replace("own Port", "own OS::Quantum::Port"),
        PORTS.replace("own Port {network:", "own Port {network_id:"),
        'own Router {external_gateway_info: {network: public}}' + OUTSIDE,
        'own RouterGateway {router_id: r, network: public}' + OUTSIDE,
        'own RouterGateway {router_id: ">router", network_id: public}' + OUTSIDE + INTERFACES,
        "own FloatingIP {floating_network: public}" + GATEWAYS,
        "own FloatingIP {floating_network_id: public}" + GATEWAYS,
        'own FloatingIP {floating_network: public, port_id: ">port"}' + TO_NETWORK,
        'own FloatingIP {floating_network: public, port_id: ">port"}' + TO_SUBNET,
        'own FloatingIPAssociation {floatingip_id: ">address", port_id: ">port"}' + TO_NETWORK,
        'own FloatingIPAssociation {floatingip_id: ">address", port_id: ">port"}' + TO_SUBNET,
        'own FloatingIPPortForward {floating_ip: ">address", internal_port: ">port"}' + TO_SUBNET,
        'own FloatingIPPortForward {floating_ip: ">address", internal_port: ">port"}' + TO_NETWORK,
        'own FloatingIPAssociation {floatingip_id: ">address"}' + GATEWAYS,
        'own FloatingIPPortForward {floating_ip: ">address"}' + GATEWAYS,
        'own ExtraRoute {router_id: ">router"}' + INTERFACES,
        'own ExtraRouteSet {router: ">router"}' + INTERFACES,
        """
        own ExtraRoute {router_id: ">router"}
        router Router {}
        before RouterGateway {router_id: ">router", network: public}
        not RouterGateway {router_id: another, network: public}
        """,
        """
        own ExtraRouteSet {router: ">router"}
        router Router {}
        not RouterGateway {router_id: ">router", network: public}
        """,
        """
        own VPNService {router: ">router", subnet: ">subnet"}
        before1 RouterInterface {router: ">router", subnet: ">subnet"}
        before2 RouterInterface {router: "?", subnet_id: ">subnet"}
        not1 RouterInterface {router: ">router", subnet: ">other"}
        not2 RouterInterface {router: another, subnet: ">subnet"}
        subnet Subnet {network: ">net"}
        router Router {}
        """,
        'own VPNService {router_id: ">router"}' + INTERFACES,
        """
        own Subnet {network: ">net"}
        before1 Segment {network: ">net"}
        before2 Segment {network: "?"}
        not Segment {network: ">other"}
        """,
        """
        own AWS::EC2::VPCGatewayAttachment {VpcId: ">net"}
        before AWS::EC2::RouteTable {VpcId: ">net"}
        not AWS::EC2::RouteTable {VpcId: ">other"}
        """,
        """
        own OS::Nova::Server {networks: [{network: ">net"}, {uuid: public}]}
        before1 Subnet {network: ">net"}
        before2 Subnet {network: public}
        before3 Subnet {network: "?"}
        not Subnet {network: ">other"}
        """,
        """
        own OS::Nova::Server {networks: [{port: ">port"}, {subnet: ">subnet"}, {port: "?"}]}
        not Subnet {network: ">net"}
        port Port {network: ">net"}
        subnet Subnet {network: ">other"}
        """,
        """
        own OS::Nova::Server {}
        before1 Subnet {network: ">net"}
        before2 Subnet {network: ">other"}
        """,
        """
        own OS::Nova::Server {networks: [{allocate_network: auto}]}
        before Subnet {network: ">net"}
        """,
        """
        own OS::Nova::Server {networks: [{allocate_network: none}]}
        not Subnet {network: ">net"}
        """,
        """
        own OS::Nova::Server {networks: "?"}
        before1 Subnet {network: ">net"}
        before2 Trunk {port: ">other"}
        before3 RouterInterface {router: r, subnet: ">other"}
        """,
        """
        own OS::Nova::Server {networks: [{port: ">port"}]}
        before1 Trunk {port: ">port"}
        before2 Trunk {port: "?"}
        not Trunk {port: ">other"}
        port Port {network: ">net"}
        """,
        """
        own OS::Nova::Server {networks: [{network: ">net"}]}
        before1 RBACPolicy {object_type: network, object_id: ">net"}
        before2 RBACPolicy {object_type: "?", object_id: ">net"}
        not1 RBACPolicy {object_type: network, object_id: ">other"}
        not2 RBACPolicy {object_type: qos_policy, object_id: "?"}
        """,
        'own OS::Nova::Server {networks: [{port: ">port", floating_ip: ">address"}]}' + TO_NETWORK,
        'own OS::Nova::Server {networks: [{port: ">port", floating_ip: ">address"}]}' + TO_SUBNET,
        """
        own OS::Nova::Server {networks: [{subnet: ">subnet", floating_ip: a}, {port: ">port"}]}
        before RouterInterface {router: r, subnet: ">subnet"}
        not1 RouterInterface {router: r, subnet: ">sibling"}
        not2 RouterInterface {router: r, port: ">with_address"}
        subnet Subnet {network: ">net"}
        sibling Subnet {network: ">net"}
        port Port {network: ">other"}
        with_address Port {network: ">other", fixed_ips: [{subnet: elsewhere}]}
        """,
        """
        own OS::Nova::Server {networks: [{network: ">net", floating_ip: a}]}
        before1 RouterInterface {router: r, subnet: ">before2"}
        before2 Subnet {network: ">net"}
        not RouterInterface {router: r, subnet: ">elsewhere"}
        elsewhere Subnet {network: ">other"}
        """,
    ],
)  # fmt: skip
def test_each_waits_for_what_must_be_there_before(text: str) -> None:
    if ">address" in text:
        text += '\naddress FloatingIP {floating_network: public}'  # fmt: skip
    names = {line.split()[0] for line in filter(str.strip, text.splitlines())}
    assert waits(text) == {name for name in names if name.startswith("before")}


@pytest.mark.parametrize("port", ["?", "a literal", ">nested"])
def test_of_a_port_that_the_stack_does_not_write_nothing_is_known(port: str) -> None:
    assert waits(f"""
        own FloatingIP {{floating_network: public, port_id: "{port}"}}
        before RouterInterface {{router: r, subnet: ">other"}}
    """) == {"before"}  # fmt: skip


@pytest.mark.parametrize("address", ["?", "a literal"])
def test_the_network_of_an_address_that_the_stack_does_not_write_is_unknown(address: str) -> None:
    assert waits(f"""
        own FloatingIPAssociation {{floatingip_id: "{address}"}}
        before1 Router {{external_gateway_info: {{network: public}}}}
        before2 RouterGateway {{router_id: r, network: elsewhere}}
        not Router {{}}
    """) == {"before1", "before2"}  # fmt: skip


def test_an_address_without_a_subnet_may_be_in_any_of_the_network() -> None:
    assert waits("""
        own FloatingIP {floating_network: public, port_id: ">port"}
        port Port {network: ">net", fixed_ips: [{ip_address: 10.0.0.1}]}
        before RouterInterface {router: r, subnet: ">subnet"}
        not RouterInterface {router: r, subnet: ">elsewhere"}
        subnet Subnet {network: ">net"}
        elsewhere Subnet {network: ">other"}
    """) == {"before"}  # fmt: skip


def test_a_floating_ip_without_a_port_waits_for_no_interface() -> None:
    assert not waits("""
        own FloatingIP {floating_network: public}
        not RouterInterface {router: r, subnet: ">net"}
    """)  # fmt: skip


def test_deletion_goes_from_the_address_to_the_subnet() -> None:
    net, subnet = {"get_resource": "net"}, {"get_resource": "subnet"}
    found = graph(
        {
            "net": {"type": "OS::Neutron::Net"},
            "subnet": {"type": "OS::Neutron::Subnet", "properties": {"network": net}},
            "port": {"type": "OS::Neutron::Port", "properties": {"network": net}},
            "address": {
                "type": "OS::Neutron::FloatingIP",
                "properties": {"floating_network": "x", "port_id": {"get_resource": "port"}},
            },
            "interface": {
                "type": "OS::Neutron::RouterInterface",
                "properties": {"router": {"get_resource": "router"}, "subnet": subnet},
            },
            "router": {
                "type": "OS::Neutron::Router",
                "properties": {"external_gateway_info": {"network": "x"}},
            },
        }
    )
    order = found.reverse_order()
    assert order.index("address") < order.index("interface") < order.index("router")
    assert order.index("address") < order.index("port") < order.index("subnet")


def test_the_network_of_a_cfn_template_is_a_reference_too() -> None:
    template = {
        "HeatTemplateFormatVersion": "2012-12-12",
        "Resources": {
            "net": {"Type": "OS::Neutron::Net"},
            "port": {"Type": "OS::Neutron::Port", "Properties": {"network": {"Ref": "net"}}},
            "subnet": {"Type": "OS::Neutron::Subnet", "Properties": {"network": {"Ref": "net"}}},
        },
    }
    recipe = Recipe(json.dumps(template))
    bound = RecipeBook(CATALOGUE).bind(StackFacts("id", "name", "project"), recipe, "digest")
    assert bound.template.graph.requires("port") == ("net", "subnet")


def test_many_addresses_cost_no_more_than_there_are_resources(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def resources(count: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for at in range(count):
            own = {key: {"get_resource": f"{key}{at}"} for key in ("net", "subnet", "port")}
            for name, kind, properties in (
                ("net", "Net", {}),
                ("subnet", "Subnet", {"network": own["net"]}),
                ("port", "Port", {"network": own["net"]}),
                ("interface", "RouterInterface", {"router": f"{at}", "subnet": own["subnet"]}),
                ("address", "FloatingIP", {"floating_network": "x", "port_id": own["port"]}),
            ):
                full = f"OS::Neutron::{kind}"
                found[f"{name}{at}"] = {"type": full, "properties": properties}
        return found

    def cost(count: int) -> int:
        steps = 0
        original = WrittenResource.values

        def counted(self: Any, path: str) -> Any:
            nonlocal steps
            steps += 1
            return original(self, path)

        with monkeypatch.context() as patch:
            patch.setattr(WrittenResource, "values", counted)
            found = graph(resources(count))
        assert found.requires("address7") == ("port7", "interface7")
        return steps

    assert cost(80) == 4 * cost(20)
