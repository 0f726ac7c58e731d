"""Octavia network driver: VIP ports are real Neutron ports, the rest is no-op.

What an amphora would plug does not exist here; what a user sees (networks,
subnets, the VIP port and its security group) comes from Neutron.
"""

from octavia.network import base
from octavia.network.drivers.neutron import allowed_address_pairs
from octavia.network.drivers.noop_driver import driver as noop


class BoxNetworkDriver(noop.NoopNetworkDriver):
    def __init__(self):
        super().__init__()
        self._real = None

    @property
    def real(self):
        if self._real is None:
            self._real = allowed_address_pairs.AllowedAddressPairsDriver()
        return self._real

    def allocate_vip(self, loadbalancer):
        return self.real.allocate_vip(loadbalancer)

    def deallocate_vip(self, vip):
        self.real.deallocate_vip(vip)

    def update_vip(self, loadbalancer, for_delete=False):
        self.real.update_vip(loadbalancer, for_delete)

    def update_vip_sg(self, load_balancer, vip):
        return self.real.update_vip_sg(load_balancer, vip)

    def get_network(self, network_id, context=None):
        return self.real.get_network(network_id, context=context)

    def get_subnet(self, subnet_id, context=None):
        return self.real.get_subnet(subnet_id, context=context)

    def get_port(self, port_id, context=None):
        try:
            return self.real.get_port(port_id, context=context)
        except base.PortNotFound:
            if context is not None:  # an API call: the user's mistake
                raise
            return self.driver.get_port(port_id)  # a port of a fake amphora

    def get_network_by_name(self, network_name):
        return self.real.get_network_by_name(network_name)

    def get_subnet_by_name(self, subnet_name):
        return self.real.get_subnet_by_name(subnet_name)

    def get_port_by_name(self, port_name):
        return self.real.get_port_by_name(port_name)

    def get_security_group_by_id(self, sg_id, context=None):
        return self.real.get_security_group_by_id(sg_id, context=context)

    def get_qos_policy(self, qos_policy_id, context=None):
        return self.real.get_qos_policy(qos_policy_id, context=context)

    def get_network_ip_availability(self, network):
        return self.real.get_network_ip_availability(network)
