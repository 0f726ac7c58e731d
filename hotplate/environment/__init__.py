"""Environments: checked, merged in order, every value with its origin, and the registry."""

from hotplate.environment.environment import Environment, merge
from hotplate.environment.environment_file import EnvironmentFile, parse
from hotplate.environment.identity import ListedFile, listed_files, same_files
from hotplate.environment.names import EXPLICIT, INLINE, Hook, RestrictedAction, Strategy
from hotplate.environment.origin import Given, Origin
from hotplate.environment.registry import Entry, EntryKind, Registry, Resolution
from hotplate.environment.remainder import remainder

__all__ = [
    "EXPLICIT",
    "INLINE",
    "Entry",
    "EntryKind",
    "Environment",
    "EnvironmentFile",
    "Given",
    "Hook",
    "ListedFile",
    "Origin",
    "Registry",
    "Resolution",
    "RestrictedAction",
    "Strategy",
    "listed_files",
    "merge",
    "parse",
    "remainder",
    "same_files",
]
