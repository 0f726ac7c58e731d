"""Sealing what the database holds: master keys in a file, data keys in a table, sealed columns.

A master key never leaves its file and the memory of the process. It wraps data keys, of which each
project has its own; these seal the columns that can hold secrets. So a copy of the database tells
nothing without the file, and a row that was moved does not open.
"""

from hotplate.store.sealing.catalogue import PLACES
from hotplate.store.sealing.errors import CannotOpen, KeyMissing, KeyRefused
from hotplate.store.sealing.key_file import KeyFile
from hotplate.store.sealing.sealer import OPTION, PLAIN, READS, Sealer, Seals, seals_of

__all__ = [
    "OPTION",
    "PLACES",
    "PLAIN",
    "READS",
    "CannotOpen",
    "KeyFile",
    "KeyMissing",
    "KeyRefused",
    "Sealer",
    "Seals",
    "seals_of",
]
