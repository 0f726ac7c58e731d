"""What can go wrong between us and another server."""

from hotplate.resources.resource_type import ResourceFailed


class UnknownRegion(ResourceFailed):
    """There is no such region: neither the operator nor the cloud's catalogue has it."""


class Unreachable(Exception):
    """The server did not answer, or says that it cannot now; the text says why."""


class Refused(ResourceFailed):
    """The server answered that it will not; the text has its words, ``words`` nothing else."""

    def __init__(self, text: str, status: int, words: str = "") -> None:
        super().__init__(text, "RemoteStackFailed")
        self.status = status
        self.words = words or text
