"""What an operator can set of the API."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits and switches. The defaults are generous: one user on one machine."""

    largest_body: int = 32 * 1024 * 1024
    """Bytes of a request."""

    largest_template: int = 4 * 1024 * 1024
    """Bytes of a template."""

    deepest_nesting: int = 20
    """Stacks inside stacks that a listing follows."""

    most_stacks: int = 10_000
    """Stacks of a project."""

    most_snapshots: int = 32
    """Snapshots of a stack."""

    longest_tag: int = 80
    hidden_tags: tuple[str, ...] = ("data-processing-cluster",)
    """Stacks with one of these tags are listed on request only."""

    can_abandon: bool = True
    can_adopt: bool = True
    region: str = "RegionOne"
