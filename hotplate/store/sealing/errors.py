"""What goes wrong with keys and with what they seal."""


class KeyRefused(Exception):
    """The key file cannot be used as it is; the text says why and what to do."""


class KeyMissing(KeyRefused):
    """The database was sealed with a master key that the key file lacks."""


class CannotOpen(Exception):
    """A stored value does not open: it is not what was stored in its place."""

    def __init__(self, place: str, row: object, reason: str = "") -> None:
        table, _, column = place.partition("|")
        why = reason or (
            "it was changed, or it comes from another row, column or project; restore the row "
            "from a backup"
        )
        super().__init__(f"{column} of {table} {row} cannot be opened: {why}")
        self.place = place
