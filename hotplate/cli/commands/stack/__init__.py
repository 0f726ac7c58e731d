"""`hotplate stack …`: the commands under the names that users of `openstack stack` know."""
