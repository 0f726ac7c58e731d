"""The rules that hold unless a policy file says otherwise. Those of Heat have Heat's names."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from hotplate.policy.resource_types import ADMINISTRATORS_ONLY, PREFIX

_READER: Final = "role:reader and project_id:%(project_id)s"
_MEMBER: Final = "role:member and project_id:%(project_id)s"
_ADMIN: Final = "role:admin and project_id:%(project_id)s"
_GUEST: Final = f"({_READER}) or (role:heat_stack_user and project_id:%(project_id)s)"
_EVERYWHERE: Final = "rule:context_is_admin"


@dataclass(frozen=True, slots=True)
class Default:
    """A rule: its name, what it says, and what it is about."""

    name: str
    expression: str
    about: str


_BLOCKS: Final[Mapping[str, tuple[str, str]]] = {
    "context_is_admin": (
        "role:admin and is_admin_project:True",
        "Who may enter all projects.",
    ),
    "project_admin": ("role:admin", "To be used in other rules."),
    "deny_stack_user": ("not role:heat_stack_user", "To be used in other rules."),
    "deny_everybody": ("!", "To be used in other rules."),
    "allow_everybody": ("@", "To be used in other rules."),
}

_STACKS: Final[Mapping[str, str]] = {
    "stacks:index": _READER,
    "stacks:detail": _READER,
    "stacks:global_index": _EVERYWHERE,
    "stacks:preview": _READER,
    "stacks:create": _MEMBER,
    "stacks:validate_template": _MEMBER,
    "stacks:lookup": _GUEST,
    "stacks:show": _READER,
    "stacks:template": _READER,
    "stacks:environment": _READER,
    "stacks:files": _READER,
    "stacks:list_outputs": _READER,
    "stacks:show_output": _READER,
    "stacks:update": _MEMBER,
    "stacks:preview_update": _MEMBER,
    "stacks:update_patch": _MEMBER,
    "stacks:preview_update_patch": _MEMBER,
    "stacks:update_no_change": "rule:stacks:update_patch",
    "stacks:delete": _MEMBER,
    "stacks:abandon": _MEMBER,
    "stacks:export": _MEMBER,
    "stacks:snapshot": _MEMBER,
    "stacks:delete_snapshot": _MEMBER,
    "stacks:restore_snapshot": _MEMBER,
    "stacks:list_snapshots": _READER,
    "stacks:show_snapshot": _READER,
    "stacks:list_resource_types": _READER,
    "stacks:resource_schema": _READER,
    "stacks:generate_template": _MEMBER,
    "stacks:list_template_versions": _READER,
    "stacks:list_template_functions": _READER,
    "actions:action": _MEMBER,
    "actions:suspend": _MEMBER,
    "actions:resume": _MEMBER,
    "actions:cancel_update": _MEMBER,
    "actions:cancel_without_rollback": _MEMBER,
    "actions:check": _READER,
    "resource:index": _READER,
    "resource:show": _READER,
    "resource:metadata": _GUEST,
    "resource:signal": _GUEST,
    "resource:mark_unhealthy": _MEMBER,
    "events:index": _READER,
    "events:show": _READER,
    "software_configs:index": _READER,
    "software_configs:global_index": _EVERYWHERE,
    "software_configs:show": _READER,
    "software_configs:create": _MEMBER,
    "software_configs:delete": _MEMBER,
    "software_deployments:index": _READER,
    "software_deployments:show": _READER,
    "software_deployments:create": _MEMBER,
    "software_deployments:update": _MEMBER,
    "software_deployments:delete": _MEMBER,
    "software_deployments:metadata": _GUEST,
    "build_info:build_info": _READER,
    "service:index": _ADMIN,
}
"""Heat's own, with Heat's defaults. Only the two about all projects are nobody's in Heat."""

_OWN: Final[Mapping[str, str]] = {
    "stacks:secrets": _MEMBER,
    "stacks:tree": _READER,
    "stacks:differences": _READER,
    "stacks:requests": _READER,
    "stacks:durations": _READER,
    "stacks:preview_delete": _READER,
    "stacks:preview_rollback": _READER,
    "stacks:describe_object": _MEMBER,
    "actions:retry": _MEMBER,
    "actions:rollback": _MEMBER,
    "resource:explain": _READER,
    "resource:forget": _MEMBER,
    "events:stream": _READER,
    "stacks:stream": _READER,
}

_WORKFLOWS: Final[Mapping[str, tuple[str, ...]]] = {
    "workflows": ("list", "get", "create", "update", "delete", "validate", "publicize"),
    "workbooks": ("list", "get", "create", "update", "delete", "validate", "publicize"),
    "actions": ("list", "get", "create", "update", "delete", "validate", "publicize"),
    "executions": ("list", "get", "stream", "create", "update", "delete", "list:all_projects"),
    "tasks": ("list", "get", "update"),
    "action_executions": ("list", "get", "create", "update", "delete"),
    "environments": ("list", "get", "create", "update", "delete", "publicize"),
    "cron_triggers": ("list", "get", "create", "delete", "list:all_projects"),
}
_OF_VERBS: Final = {
    "list": _READER,
    "get": _READER,
    "stream": _READER,
    "publicize": _EVERYWHERE,
}


def _defaults() -> Iterator[Default]:
    for name, (expression, about) in _BLOCKS.items():
        yield Default(name, expression, about)
    for name, expression in _STACKS.items():
        yield Default(name, expression, "As in Heat.")
    for name, expression in _OWN.items():
        yield Default(name, expression, "Not in Heat.")
    for kind, verbs in _WORKFLOWS.items():
        for verb in verbs:
            default = _EVERYWHERE if verb == "list:all_projects" else _MEMBER
            yield Default(f"{kind}:{verb}", _OF_VERBS.get(verb, default), "Of workflows.")
    for name in ADMINISTRATORS_ONLY:
        yield Default(f"{PREFIX}{name}", "rule:project_admin", "Of a resource type.")


DEFAULTS: Final[Mapping[str, Default]] = {each.name: each for each in _defaults()}
