"""Software configs and deployments as resources."""
