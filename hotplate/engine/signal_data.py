"""What signals add to the data of a resource while a worker has it in hand."""

from collections.abc import Container, Iterable
from typing import Any

from sqlalchemy import Connection

from hotplate.model import Version
from hotplate.resources.catalogue import Catalogue
from hotplate.store.versions import read_versions


def add_signalled(
    connection: Connection, catalogue: Catalogue, versions: Iterable[Version]
) -> None:
    """Give versions in memory what signals have added to them in the database since they were read.

    Their stacks are locked. Only types whose data grows by signals cost a query.
    """
    growing = {version.id: version for version in versions if catalogue.growing(version.type_name)}
    for stored in read_versions(connection, growing).values() if growing else ():
        version = growing[stored.id]
        attributes = catalogue.get(version.type_name).attributes
        for name in catalogue.growing(version.type_name):
            if name in stored.data:
                put(version, attributes, name, stored.data[name])


def put(version: Version, attributes: Container[str], name: str, items: list[Any]) -> None:
    """Keep what signals have brought, and show it where it is an attribute."""
    version.data = {**version.data, name: items}
    if name in attributes:
        version.attributes = {**version.attributes, name: items}
