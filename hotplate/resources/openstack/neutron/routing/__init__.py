"""Routers, what is attached to them, and floating IPs."""
