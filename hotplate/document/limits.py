"""How large a document may be before it is refused."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one document. Reading stops at the first bound that is crossed."""

    text_bytes: int = 16 * 1024 * 1024
    """Size of the text in UTF-8, also with each use of a YAML alias written out."""

    depth: int = 200
    """Collections inside collections, those behind aliases included. Later stages recurse this
    deep, so it must stay well below the interpreter's recursion limit."""

    nodes: int = 4_000_000
    """Values and keys, each use of a YAML alias counted as a copy of what it names."""

    alias_nodes: int = 200_000
    """The part of ``nodes`` that exists only because of aliases ("billion laughs")."""

    integer_digits: int = 400
    """Decimal digits of an integer: more are of no use and cost quadratic time to print."""


DEFAULT_LIMITS = Limits()
