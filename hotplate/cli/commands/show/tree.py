"""`hotplate tree`: everything in a stack."""

from collections import Counter
from typing import Any

import click

from hotplate.cli.command_line.arguments import stack_argument
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.output.output import Output
from hotplate.cli.progress.progress import State, state_of
from hotplate.cli.session.session import Session, with_session
from hotplate.cli.view.failures import own_words
from hotplate.cli.view.short_forms import can_draw, printable, short_type
from hotplate.client import Document

_WORDS = ("done", "running", "failed", "stopped", "waiting", "old")
_COLORS = {"COMPLETE": "green", "FAILED": "red", "IN_PROGRESS": "cyan"}


@command(
    "tree",
    examples=[
        ("hotplate tree app", "Every resource of app, through all nesting:"),
        ("hotplate tree app --failed", "Only what failed, and the way to it:"),
    ],
)
@stack_argument
@click.option("--failed", is_flag=True, help="Only what failed, and the stacks it is in.")
@click.option("--depth", type=click.IntRange(0), metavar="N", help="How many levels to open.")
@with_session
async def tree(session: Session, name: str, failed: bool, depth: int | None) -> None:
    """Show a stack with its nested stacks and all resources, and the sums of each stack."""
    async with session.api() as api:
        found = await api.tree(await session.existing(api, name))
    session.output.record("tree", stack=found)
    if not session.output.is_json:
        _Drawing(session.output, failed, depth).stack(found)
    if found["stack_status"].endswith("_IN_PROGRESS"):
        session.tell_who_goes_on(found["stack_name"])


class _Drawing:
    def __init__(self, output: Output, failed: bool, depth: int | None) -> None:
        self._output = output
        self._failed = failed
        self._depth = depth
        self._lines = ("├─ ", "└─ ", "│  ") if can_draw() else ("|- ", "`- ", "|  ")

    def stack(self, stack: Document) -> None:
        state = _colored(stack["stack_status"])
        name = click.style(printable(stack["stack_name"]), bold=True)
        self._output.say(f"{name}  {state}  {_sums(stack)}".rstrip())
        self._resources(stack, "", 1)

    def _resources(self, stack: Document, before: str, level: int) -> None:
        if self._depth is not None and level > self._depth:
            return
        shown = [each for each in stack["resources"] if not self._failed or _has_failed(each)]
        branch, last, through = self._lines
        for number, resource in enumerate(shown):
            is_last = number == len(shown) - 1
            self._output.say(f"{before}{last if is_last else branch}{_resource(resource)}")
            reason = resource.get("resource_status_reason") or ""
            under = before + ("   " if is_last else through)
            if resource.get("hook"):
                self._output.say(f"{under}   waits until its hook {resource['hook']} is cleared")
            if _says_something(resource):
                self._output.say(f"{under}   {printable(' '.join(own_words(reason).split()))}")
            if "stack" in resource:
                self._resources(resource["stack"], under, level + 1)


def _resource(resource: Document) -> str:
    type_name = click.style(short_type(printable(resource["resource_type"])), dim=True)
    name = printable(resource["resource_name"]) + (" (old)" if resource.get("is_old") else "")
    words = f"{name}  {_colored(resource['resource_status'], _is_stopped(resource))}"
    inner = resource.get("stack")
    return f"{words}  {type_name}{f'  {_sums(inner)}' if inner else ''}"


def _says_something(resource: Document) -> bool:
    """Return whether the reason of a resource says more than its status and its nested stack."""
    if "stack" in resource:
        return False
    state, reason = resource["resource_status"], resource.get("resource_status_reason")
    is_at_work = state.endswith("_IN_PROGRESS") and reason not in (None, "", "state changed")
    return is_at_work or state.endswith("_FAILED")


def _is_stopped(resource: Document) -> bool:
    reason = resource.get("resource_status_reason") or ""
    return state_of("FAILED", reason) is State.STOPPED


def _colored(state: str, is_stopped: bool = False) -> str:
    color = next((color for word, color in _COLORS.items() if state.endswith(word)), None)
    if is_stopped and state.endswith("_FAILED"):
        color = "yellow"
    shown = click.style(state, fg=None if state == "INIT_COMPLETE" else color)
    return f"{shown} (stopped)" if color == "yellow" else shown


def _sums(stack: Document) -> str:
    counts = _counted(stack)
    parts = [f"{counts[word]:,} {word}" for word in _WORDS]
    return (
        f"({', '.join(words for words in parts if not words.startswith('0 '))})" if counts else ""
    )


def _counted(stack: Document) -> Counter[str]:
    counts: Counter[str] = Counter()
    for resource in stack["resources"]:
        word = _word(resource["resource_status"], _is_stopped(resource))
        # An old one without work has nothing more to do, and is not what was wanted either.
        counts["old" if resource.get("is_old") and word == "done" else word] += 1
        if "stack" in resource:
            counts.update(_counted(resource["stack"]))
    return counts


def _word(state: str, is_stopped: bool) -> str:
    if state == "INIT_COMPLETE":
        return "waiting"
    if is_stopped and state.endswith("_FAILED"):
        return "stopped"
    words: dict[str, Any] = {"COMPLETE": "done", "FAILED": "failed"}
    return words.get(state.partition("_")[2], "running")


def _has_failed(resource: Document) -> bool:
    if resource["resource_status"].endswith("_FAILED"):
        return True
    return any(map(_has_failed, resource.get("stack", {}).get("resources", ())))
