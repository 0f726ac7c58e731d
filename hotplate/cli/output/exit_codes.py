"""Exit codes of the command."""

from enum import IntEnum


class Code(IntEnum):
    """How a command ended."""

    DONE = 0
    FAILED = 1
    """The operation failed, or the server could not be asked."""

    USAGE = 2
    CHANGES = 3
    """A preview found something to do, or a check something that differs."""

    TIMED_OUT = 4
    REFUSED = 5
    """The server, or you, said no; nothing was changed."""

    OVERTAKEN = 6
    """Another request took the place of this one before it had ended."""

    INTERRUPTED = 130


class Stop(Exception):
    """The command cannot go on; the text says why, ``hint`` what to do."""

    def __init__(self, text: str, code: Code = Code.FAILED, hint: str = "") -> None:
        super().__init__(text)
        self.code = code
        self.hint = hint
