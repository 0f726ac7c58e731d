"""Nova's fake driver, made to survive a restart of the process.

The in-tree driver draws a new random node identity at every start (so a
second start of nova-compute refuses to run) and forgets its instances.
"""

import uuid

import nova.virt.node
from nova.compute import power_state, vm_states
from nova.virt import fake

KNOWN = (
    vm_states.ACTIVE,
    vm_states.STOPPED,
    vm_states.PAUSED,
    vm_states.SUSPENDED,
    vm_states.RESIZED,
    vm_states.RESCUED,
)


def node_uuid(name):
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, name + ".box.test"))


# several hosts share this process, so one identity file cannot serve them
nova.virt.node.read_local_node_uuid = lambda: node_uuid("box")


class BoxDriver(fake.FakeDriver):
    def get_nodenames_by_uuid(self, refresh=False):
        return {node_uuid(n): n for n in self.get_available_nodes()}

    def get_available_resource(self, nodename):
        res = super().get_available_resource(nodename)
        res["uuid"] = node_uuid(nodename)
        return res

    def get_info(self, instance, use_cache=True):
        if (
            instance.uuid not in self.instances
            and instance.host == self._host
            and instance.launched_at
            and instance.task_state is None
            and instance.vm_state in KNOWN
        ):
            self.instances[instance.uuid] = fake.FakeInstance(
                instance.name, instance.power_state or power_state.RUNNING, instance.uuid
            )
        return super().get_info(instance, use_cache)
