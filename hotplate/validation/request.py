"""What a user asks to be checked."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hotplate.document import Data, Document


@dataclass(frozen=True, slots=True)
class Request:
    """A template and everything that was sent with it."""

    template: Document
    environments: tuple[Document, ...] = ()
    parameters: Mapping[str, Data] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
