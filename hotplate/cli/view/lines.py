"""Work while it goes on, as lines: for files, pipes and programs."""

from datetime import UTC, datetime

from hotplate.cli.output.output import Output
from hotplate.cli.progress.progress import Item, Progress, State
from hotplate.cli.view.short_forms import printable, shown_seconds
from hotplate.client import Happening

_WIDEST_STATE = 20


class LineView:
    """A line for each event; in the form of JSON an object."""

    def __init__(self, output: Output, is_silent: bool = False) -> None:
        self._output = output
        self._is_silent = is_silent
        self._progress: Progress | None = None

    def begin(self, progress: Progress) -> None:
        """Say nothing: the first event does."""
        self._progress = progress

    def event(self, event: Happening, item: Item | None) -> None:
        """Write it down."""
        path = list(item.names) if item is not None else [event.name]
        self._output.record(
            "event",
            id=event.id,
            time=event.at,
            path=path,
            resource_type=event.type,
            action=event.action,
            status=event.status,
            reason=event.reason,
            physical_resource_id=event.physical_id,
            stack_name=event.stack_name,
            stack_id=event.stack_id,
            is_of_stack=event.is_of_stack,
            is_old=item is not None and item.is_old,
        )
        if event.is_of_stack and path and item is not None and item.path:
            return  # the resource that is this stack says the same
        if self._is_silent:
            return
        self._output.say(self._line(event, item))

    def reason(self, item: Item) -> None:
        """Write down what something at work says of itself: no event does."""
        self._output.record("reason", path=list(item.names), status=item.status, reason=item.reason)
        if not self._is_silent and item.reason not in ("", "state changed"):
            at = datetime.now(UTC).strftime("%H:%M:%S")
            words = printable(" ".join(item.reason.split()))
            self._output.say(
                f"{at}  {item.status:<{_WIDEST_STATE}}  {printable(item.dotted)}  {words}"
            )

    def _line(self, event: Happening, item: Item | None) -> str:
        at = event.at.partition("T")[2].rstrip("Z") or event.at
        what = event.name if item is None or not item.path else item.dotted
        line = f"{at}  {event.state:<{_WIDEST_STATE}}  {printable(what)}"
        has_ended = item is not None and item.status == event.state and item.state is State.DONE
        if item is not None and has_ended and item.path and item.took is not None:
            line += f"  ({shown_seconds(item.took)})"
        if has_ended and item is not None and item.is_kept:
            line += "  its object is kept"
        reason = printable(" ".join(event.reason.split()))
        if reason and reason != "state changed":
            line += f"  {reason}"
        return line

    def tick(self, now: float) -> None:
        """Say nothing: lines are for what happens."""

    def end(self) -> None:
        """Say nothing: the outcome does."""
