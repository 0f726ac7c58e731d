"""Why the server does not start."""


class CannotStart(Exception):
    """The server cannot start; the text is one sentence that says why and the way on.

    ``code`` is the exit code: 2 when what was asked for makes no sense, 1 when the world is in
    the way.
    """

    def __init__(self, text: str, code: int = 1) -> None:
        super().__init__(text)
        self.code = code


def nonsense(text: str) -> CannotStart:
    """Return the refusal of a configuration that cannot be meant."""
    return CannotStart(text, 2)
