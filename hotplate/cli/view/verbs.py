"""What is done to a stack or a resource, in words."""

from typing import Final, NamedTuple

from hotplate.cli.progress.progress import Item, State


class Verb(NamedTuple):
    """One action: to create, creating, created."""

    to: str
    doing: str
    done: str


_VERBS: Final = {
    "CREATE": Verb("create", "creating", "created"),
    "UPDATE": Verb("update", "updating", "updated"),
    "REPLACE": Verb("replace", "replacing", "replaced"),
    "DELETE": Verb("delete", "deleting", "deleted"),
    "ROLLBACK": Verb("roll back", "rolling back", "rolled back"),
    "SUSPEND": Verb("suspend", "suspending", "suspended"),
    "RESUME": Verb("resume", "resuming", "resumed"),
    "CHECK": Verb("check", "checking", "checked"),
    "SNAPSHOT": Verb("take a snapshot of", "taking a snapshot of", "snapshot taken"),
    "RESTORE": Verb("restore", "restoring", "restored"),
    "ADOPT": Verb("adopt", "adopting", "adopted"),
}


def verb_of(action: str) -> Verb:
    """Return the forms of an action."""
    return _VERBS.get(action) or Verb(action.lower(), action.lower(), action.lower())


def doing(item: Item, has_ended: bool = False) -> str:
    """Return what happens to a resource: "creating", "deleted", "waiting to replace"."""
    verb = verb_of(item.doing) if item.doing else None
    if item.state is State.UNTOUCHED or verb is None:
        return item.state.value
    if item.state is State.RUNNING:
        return verb.doing
    if item.state is State.DONE:
        return verb.done
    if item.state is State.WAITING:
        return "not begun" if has_ended else f"waiting to {verb.to}"
    return f"{verb.to} {item.state.value}"
