"""Cinder driver that keeps no data: every operation succeeds at once."""

import io

from cinder import interface
from cinder.volume import driver


@interface.volumedriver
class BoxVolumeDriver(
    driver.CloneableImageVD, driver.MigrateVD, driver.ManageableVD, driver.BaseVD
):
    VERSION = "1.0"
    CI_WIKI_NAME = "none"

    def do_setup(self, context):
        pass

    def check_for_setup_error(self):
        pass

    def _update_volume_stats(self):
        self._stats = {
            "volume_backend_name": self.configuration.safe_get("volume_backend_name") or "box",
            "vendor_name": "Hotplate",
            "driver_version": self.VERSION,
            "storage_protocol": "iSCSI",
            "total_capacity_gb": 100000,
            "free_capacity_gb": 100000,
            "reserved_percentage": 0,
            "QoS_support": True,
            "multiattach": True,
            "consistent_group_snapshot_enabled": True,
            "consistencygroup_support": True,
            "thin_provisioning_support": True,
            "thick_provisioning_support": False,
            "max_over_subscription_ratio": 20.0,
            "provisioned_capacity_gb": 0,
            "pool_name": "box",
            "replication_enabled": False,
        }

    def get_volume_stats(self, refresh=False):
        self._update_volume_stats()
        return self._stats

    def create_volume(self, volume):
        pass

    def delete_volume(self, volume):
        pass

    def create_snapshot(self, snapshot):
        pass

    def delete_snapshot(self, snapshot):
        pass

    def create_volume_from_snapshot(self, volume, snapshot):
        pass

    def create_cloned_volume(self, volume, src_vref):
        pass

    def clone_image(self, context, volume, image_location, image_meta, image_service):
        # pretend that the image is already on the backend
        return {}, True

    def extend_volume(self, volume, new_size):
        pass

    def retype(self, context, volume, new_type, diff, host):
        return True, None

    def migrate_volume(self, context, volume, host):
        return True, None

    def revert_to_snapshot(self, context, volume, snapshot):
        pass

    def copy_volume_to_image(self, context, volume, image_service, image_meta):
        image_service.update(context, image_meta["id"], {}, io.BytesIO(b"hotplate-box"))

    def ensure_export(self, context, volume):
        pass

    def create_export(self, context, volume, connector):
        pass

    def remove_export(self, context, volume):
        pass

    def initialize_connection(self, volume, connector, **kwargs):
        return {
            "driver_volume_type": "iscsi",
            "data": {
                "target_discovered": False,
                "target_lun": 1,
                "target_iqn": "iqn.2010-10.org.openstack:" + volume["id"],
                "target_portal": "127.0.0.1:3260",
                "volume_id": volume["id"],
                "access_mode": "rw",
            },
        }

    def terminate_connection(self, volume, connector, **kwargs):
        pass

    def attach_volume(self, *a, **k):
        pass

    def detach_volume(self, *a, **k):
        pass

    def manage_existing(self, volume, existing_ref):
        return {}

    def manage_existing_get_size(self, volume, existing_ref):
        return 1

    def unmanage(self, volume):
        pass
