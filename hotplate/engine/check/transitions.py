"""How the state of a version may change."""

from dataclasses import replace

from hotplate.model import Relation, Version


def stay_external(version: Version) -> None:
    """Give up managing an object that was external: it stays that."""
    version.relation = Relation.LENT
    version.definition = replace(
        version.definition, properties={}, update_policy={}, external_id=version.physical_id or ""
    )
    version.fingerprint = ""
    version.before = {}
