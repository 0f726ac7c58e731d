"""Who asks, as Keystone tells it. Only a server that is started with Keystone loads this."""
