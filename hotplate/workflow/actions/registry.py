"""All actions by their names."""

from collections.abc import Iterable, Iterator

from hotplate.workflow.actions.action import Action
from hotplate.workflow.actions.http_request import http_actions
from hotplate.workflow.actions.mail import mail_action
from hotplate.workflow.actions.settings import ActionSettings
from hotplate.workflow.actions.shell import shell_actions
from hotplate.workflow.actions.standard import standard_actions


class Actions:
    """The actions of this server. Immutable."""

    def __init__(
        self,
        settings: ActionSettings = ActionSettings(),  # noqa: B008 (frozen)
        more: Iterable[Action] = (),
    ) -> None:
        """``more`` are further actions; one of the same name takes the place of ours."""
        every = [
            *standard_actions(settings),
            *http_actions(settings),
            *([mail_action(settings)] if settings.may_email else []),
            *(shell_actions(settings) if settings.may_ssh else []),
            *more,
        ]
        self._by_name = {action.name: action for action in every}

    def find(self, name: str) -> Action | None:
        """Return the action of this name."""
        return self._by_name.get(name)

    def why_not(self, name: str) -> str:
        """Return why there is no action of this name."""
        switch = {"std.email": "may_email", "std.ssh": "may_ssh", "std.ssh_proxied": "may_ssh"}
        if name in switch:
            return (
                f"the action {name} is switched off; an operator can allow it with "
                f"{switch[name]} in [workflows]"
            )
        if name in ("std.js", "std.javascript"):
            return f"there is no action {name} here: this server runs no scripts of others"
        return f"there is no action {name}"

    def __iter__(self) -> Iterator[Action]:
        return iter(sorted(self._by_name.values(), key=lambda action: action.name))
