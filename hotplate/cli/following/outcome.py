"""Doing something to a stack, following it, and saying how it ended."""

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click

from hotplate.cli.answers.plan import Plan, Step
from hotplate.cli.following.follow import Ended, View, follow
from hotplate.cli.output.exit_codes import Code, Stop
from hotplate.cli.output.output import Output
from hotplate.cli.progress.durations import Durations, known_durations
from hotplate.cli.progress.progress import Progress
from hotplate.cli.session.session import Purpose, Session
from hotplate.cli.view.failures import own_words, show_failures
from hotplate.cli.view.short_forms import printable, shown_seconds
from hotplate.cli.view.values import show_outputs
from hotplate.client import Api, Document, StackName


@dataclass(frozen=True, slots=True)
class Begun:
    """An operation that the API has accepted."""

    stack: StackName
    action: str
    after: str = ""
    """The last event before it."""

    is_under_way: bool = False
    """Whether it began earlier, so that not all of its events are still to come."""

    sequence: int | None = None
    """Its number among the operations on the stack, None if it is not known."""


Begin = Callable[[Api], Awaitable[Begun | None]]
"""Asks the API for an operation; None if there is nothing to follow."""


_STEPS = {
    Step.CREATE: "CREATE",
    Step.UPDATE: "UPDATE",
    Step.REPLACE: "REPLACE",
    Step.DELETE: "DELETE",
}
"""What those who follow the work call the steps of a plan; the others are no work."""


def refuse_to_detach(session: Session) -> None:
    """Say that no server would do the work. Raises Stop."""
    if session.is_embedded:
        raise Stop(
            "--detach needs a server: without one, this command does the work itself",
            Code.REFUSED,
            "start `hotplate serve` first, or leave out --detach",
        )


async def carry_out(
    session: Session,
    begin: Begin,
    plan: Plan | None = None,
    detach: bool = False,
    kept: Sequence[tuple[str, ...]] = (),
) -> int:
    """Begin an operation and follow it to its end; return the exit code.

    ``kept`` are the paths of resources whose objects stay.
    """
    if detach:
        refuse_to_detach(session)
    output = session.output
    begun: Begun | None = None
    try:
        async with session.api(Purpose.READ if detach else Purpose.WORK) as api:
            begun = await begin(api)
            if begun is None:
                return Code.DONE
            if detach:
                _report_accepted(output, begun)
                return Code.DONE
            return await followed(session, api, begun, plan, kept)
    except asyncio.CancelledError:
        if begun is not None:
            _report_left(session, begun)
        raise


async def followed(
    session: Session,
    api: Api,
    begun: Begun,
    plan: Plan | None = None,
    kept: Sequence[tuple[str, ...]] = (),
) -> int:
    """Follow an operation that has begun; return the exit code."""
    progress = Progress(begun.stack.id, begun.stack.name, begun.action, time.monotonic())
    if plan is not None:
        progress.plan(
            (each.path, each.type, _STEPS.get(each.step, ""), each.required_by)
            for each in plan.steps
        )
    progress.tree(await api.tree(begun.stack), time.monotonic(), not begun.is_under_way)
    progress.keep(kept)
    is_idle = plan is not None and not plan.has_changes
    view = await _view(session, api, begun, is_idle)
    ended = await follow(api, begun.stack, progress, view, begun.after, lingers=session.is_embedded)
    if begun.sequence is not None:
        newer = await api.requests(begun.stack, begun.sequence)
        if newer:
            return _report_overtaken(session.output, begun, ended, newer[0])
    code = await report_end(session, api, begun.stack, ended, begun.action)
    if ended.is_complete and code is Code.FAILED and progress.failures():
        _report_earlier_failures(session.output, progress, begun)
    return code


def _report_overtaken(output: Output, begun: Begun, ended: Ended, by: Document) -> int:
    """Say whose request took the place of this one; return the exit code."""
    own, other = begun.action.lower(), by["action"].lower()
    name = begun.stack.name
    output.record(
        "result",
        stack_name=name,
        stack_id=begun.stack.id,
        status=ended.state,
        reason=ended.reason,
        seconds=None if ended.seconds is None else round(ended.seconds, 3),
        outputs=[],
        failures=[],
        exit_code=int(Code.OVERTAKEN),
        overtaken_by={"action": by["action"], "user": by["user"], "time": by["time"]},
    )
    state = click.style(ended.state, bold=True)
    what = "cancelled by" if other == "cancel" else f"overtaken by {_article(other)} of"
    what = click.style(f"was {what} {printable(by['user'])}", fg="red", bold=True)
    output.say(f"{name}: this {own} {what} at {by['time']}; the stack is {state} now")
    output.say(f"  `hotplate show {name}` shows what came of it")
    return Code.OVERTAKEN


def _article(word: str) -> str:
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def _report_earlier_failures(output: Output, progress: Progress, begun: Begun) -> None:
    """Say why an operation went back."""
    output.say(f"the {begun.action.lower()} had failed:")
    for each in progress.failures():
        message = printable(own_words(each.reason)).strip()
        output.say_wrapped(f"  {message}", fg="red")
        output.say(f"    at {printable('.'.join(each.path))} ({each.type}), {each.status}")


async def _view(session: Session, api: Api, begun: Begun, is_idle: bool) -> View:
    if is_idle or not session.output.is_live:
        from hotplate.cli.view.lines import LineView

        return LineView(session.output, is_silent=is_idle)
    from hotplate.cli.view.live import LiveView

    word = "pauses" if session.is_embedded else "detaches"
    return LiveView(Durations(await known_durations(api)), f"Ctrl-C {word}")


def _report_accepted(output: Output, begun: Begun) -> None:
    stack = begun.stack
    output.record("accepted", stack_name=stack.name, stack_id=stack.id, action=begun.action)
    output.say(f"{stack.name}: {begun.action} has begun; `hotplate attach {stack.name}` follows it")


def _report_left(session: Session, begun: Begun) -> None:
    name, output = begun.stack.name, session.output
    if session.is_embedded:
        message = f"paused; `hotplate attach {name}` continues"
    else:
        message = f"detached, the server goes on; `hotplate attach {name}` follows it again"
        if begun.action in ("CREATE", "UPDATE"):
            message += f", `hotplate cancel {name}` stops it"
    output.record("left", stack_name=name, stack_id=begun.stack.id, message=message)
    output.note(message)


async def report_end(
    session: Session, api: Api, stack: StackName, ended: Ended, asked: str = ""
) -> int:
    """Say how an operation ended; ``asked`` is the action it was. Return the exit code."""
    output = session.output
    shown: Document = {}
    is_deleted = ended.state == "DELETE_COMPLETE"
    if not is_deleted:
        shown = await api.stack(stack.id, outputs=ended.is_complete)
    code = code_of(ended, asked)
    output.record(
        "result",
        stack_name=stack.name,
        stack_id=stack.id,
        status=ended.state,
        reason=ended.reason,
        seconds=None if ended.seconds is None else round(ended.seconds, 3),
        outputs=shown.get("outputs", []),
        failures=shown.get("failures", []),
        exit_code=int(code),
    )
    color = "green" if ended.is_complete else "red"
    state = click.style(ended.state, fg=color, bold=True)
    when = "at rest" if ended.seconds is None else f"after {shown_seconds(ended.seconds)}"
    output.say(f"{stack.name}: {state}{',' if ended.seconds is None else ''} {when}")
    if ended.is_timed_out:
        output.say(f"  {printable(ended.reason)}")
    if ended.is_complete:
        show_outputs(output, stack.name, shown.get("outputs", []))
        session.warn_if_unserved(shown.get("outputs", []))
    else:
        show_failures(output, stack.name, ended.state, ended.reason, shown.get("failures", []))
    return code


def code_of(ended: Ended, asked: str = "") -> Code:
    """Return the exit code for the end of an operation; ``asked`` is the action it was."""
    if ended.is_timed_out:
        return Code.TIMED_OUT
    action = ended.state.partition("_")[0]
    if asked == "CANCEL":
        # What was asked for is that it stops, or that the stack is what it was before.
        has_stopped = ended.reason.endswith("cancelled")
        is_back = action == "ROLLBACK" and ended.is_complete
        return Code.DONE if has_stopped or is_back else Code.FAILED
    # Going back, or being deleted, is a good end for a stack, but not for who asked for more.
    is_other = bool(asked) and action in ("ROLLBACK", "DELETE") and action != asked
    return Code.DONE if ended.is_complete and not is_other else Code.FAILED


def confirm(output: Output, question: str, yes: bool) -> None:
    """Ask before something is done. Raises Stop if the answer is no, or if there is no terminal."""
    import sys

    if yes:
        return
    if output.is_json or not sys.stdin.isatty():
        raise Stop(
            "there is no terminal to ask on", Code.USAGE, "say --yes to go on without a question"
        )
    try:
        with _interruptible():
            answer = click.confirm(question, err=not sys.stdout.isatty())
    except click.Abort:
        output.note("")
        answer = False
    if not answer:
        raise Stop("nothing was changed", Code.REFUSED)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end a question at once: the loop that has them waits as well."""
    kept = {
        signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler),
        signal.SIGTERM: signal.signal(signal.SIGTERM, signal.SIG_DFL),
    }
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


def action_body(name: str) -> dict[str, Any]:
    """Return the body of a request to act on a stack."""
    return {name: None}
