"""Letters to trees: what each is told, and who waits for the answer."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.exc import DBAPIError

from hotplate.store.database import may_pass
from hotplate.store.workflows.runs import TreeChange
from hotplate.workflow.engine.refusals import FlowRefused
from hotplate.workflow.engine.tree import Told, Tree
from hotplate.workflow.machine import InvalidInput, NotAllowed


@dataclass(slots=True)
class Letter:
    """What a tree is to be told. ``is_patient``: its sender waits while the database is away."""

    told: Told
    answer: asyncio.Future[Any]
    is_patient: bool

    def reply(self, answer: Any) -> None:
        """Hand over the answer, or the reason why there is none, if anybody still waits for it."""
        if self.answer.done():
            return
        if isinstance(answer, BaseException):
            self.answer.set_exception(answer)
        else:
            self.answer.set_result(answer)


@dataclass(slots=True)
class Box:
    """The letters for one tree, and who reads them."""

    letters: list[Letter] = field(default_factory=list)
    reader: asyncio.Task[None] | None = None


class Fault(Exception):
    """A letter that nobody foresaw what it would lead to; the cause says what happened."""

    def __init__(self, letter: Letter) -> None:
        super().__init__()
        self.letter = letter


def send_back(letters: list[Letter], error: Exception) -> None:
    """Tell those who are in a hurry that it was in vain; the others go on waiting."""
    for letter in [each for each in letters if not each.is_patient]:
        letters.remove(letter)
        letter.reply(error)


def stepped(
    tree: Tree, letters: Sequence[Letter], worker: int, free: int
) -> tuple[list[Any], TreeChange | None]:
    """Tell a tree all of the letters; return the answers and what is to be written.

    For a thread. Raises Fault, or DBAPIError if another try may succeed.
    """
    answers: list[Any] = []
    for letter in letters:
        try:
            answers.append(letter.told(tree))
        except (FlowRefused, InvalidInput, NotAllowed) as refusal:
            answers.append(refusal)
        except Exception as error:
            if isinstance(error, DBAPIError) and may_pass(error):
                raise
            raise Fault(letter) from error
    return answers, tree.change(worker, free)
