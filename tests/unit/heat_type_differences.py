"""Where a type is declared otherwise than in Heat, on purpose: what differs, and why."""

from collections.abc import Mapping
from typing import Final

DECIDED: Final[Mapping[str, Mapping[str, str]]] = {
    "OS::Neutron::MeteringRule": {
        "excluded: default is False, not 'False'": "a boolean is no text; it means the same",
    },
}
