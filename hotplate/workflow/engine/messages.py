"""Messages to trees: what each is about, and who waits for the answer."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hotplate.store.database import is_transient
from hotplate.store.workflows.runs import TreeChange
from hotplate.workflow.engine.refusals import FlowRefused
from hotplate.workflow.engine.tree import Handler, Tree
from hotplate.workflow.machine import InvalidInput, NotAllowed


@dataclass(slots=True)
class Message:
    """Something for a tree. ``is_patient``: its sender waits while the database is away."""

    handle: Handler
    answer: asyncio.Future[Any]
    is_patient: bool

    def reply(self, answer: Any) -> None:
        """Hand over the answer, or the reason why there is none, if it is still waited for."""
        if self.answer.done():
            return
        if isinstance(answer, BaseException):
            self.answer.set_exception(answer)
        else:
            self.answer.set_result(answer)


@dataclass(slots=True)
class Mailbox:
    """The messages for one tree, and the task that delivers them."""

    messages: list[Message] = field(default_factory=list)
    delivery: asyncio.Task[None] | None = None


class MessageFailed(Exception):
    """Handling a message raised an unexpected error: the cause."""

    def __init__(self, message: Message) -> None:
        super().__init__()
        self.message = message


def reject_impatient(messages: list[Message], error: Exception) -> None:
    """Give the error to senders that do not wait any longer; the others go on waiting."""
    for message in [each for each in messages if not each.is_patient]:
        messages.remove(message)
        message.reply(error)


def stepped(
    tree: Tree, messages: Sequence[Message], worker: int, free: int
) -> tuple[list[Any], TreeChange | None]:
    """Let a tree handle all of the messages; return the answers and what is to be written.

    For a thread. Raises MessageFailed, or DBAPIError if another try may succeed.
    """
    answers: list[Any] = []
    for message in messages:
        try:
            answers.append(message.handle(tree))
        except (FlowRefused, InvalidInput, NotAllowed) as refusal:
            answers.append(refusal)
        except Exception as error:
            if is_transient(error):
                raise
            raise MessageFailed(message) from error
    return answers, tree.change(worker, free)
