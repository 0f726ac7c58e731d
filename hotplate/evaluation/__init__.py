"""A small pool of processes in which a server evaluates what tenants wrote."""

from hotplate.evaluation.pool import ProcessPool
from hotplate.evaluation.settings import PoolSettings
from hotplate.evaluation.zygote import Zygote

__all__ = ["PoolSettings", "ProcessPool", "Zygote"]
