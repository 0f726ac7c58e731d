"""Objects that are files in a directory which the operator names; off unless enabled.

The example for authors of types: docs/write-your-own-type.md walks through it.
"""

from hotplate.resources.directory.directory import Directory, Object, objects
from hotplate.resources.directory.file import File

__all__ = ["Directory", "File", "Object", "objects"]
