"""Signals from outside: addresses that carry their own proof, and what is kept of a signal."""

from hotplate.resources.signals.address import (
    SERVICE,
    Addresses,
    addresses_of,
    is_signed,
    resource_arn,
)

__all__ = ["SERVICE", "Addresses", "addresses_of", "is_signed", "resource_arn"]
