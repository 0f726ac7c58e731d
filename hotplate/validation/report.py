"""What was found."""

from dataclasses import dataclass, field

from hotplate.document import Problem


@dataclass(slots=True)
class Report:
    """Problems in the order in which they were found.

    ``missing`` names the parameters that still need a value; a template is not wrong for having
    such.
    """

    errors: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    missing: tuple[str, ...] = ()

    @property
    def is_valid(self) -> bool:
        """Whether a stack could be made of it, once the missing parameters are given."""
        return not self.errors
