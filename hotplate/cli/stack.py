"""`hotplate stack …`: the commands under the names that users of `openstack stack` know."""

from hotplate.cli.commanding import LazyGroup

stack = LazyGroup(
    "stack",
    help="The commands under the names of `openstack stack`.",
    sections={
        "Change": [
            "create",
            "update",
            "delete",
            "cancel",
            "check",
            "suspend",
            "resume",
            "abandon",
            "adopt",
            "snapshot",
            "hook",
        ],
        "Look": [
            "list",
            "show",
            "resource",
            "event",
            "output",
            "failures",
            "environment",
            "template",
            "file",
            "export",
        ],
    },
    lazy={
        "create": ("stack_operations:create", "hotplate up, for a new stack, without a question"),
        "update": ("stack_operations:update", "hotplate up, for a stack that exists"),
        "delete": ("stack_operations:delete", "hotplate down, for any number of stacks"),
        "cancel": ("stack_operations:cancel", "hotplate cancel, for any number of stacks"),
        "check": ("stack_operations:check", "hotplate check, for any number of stacks"),
        "suspend": ("stack_operations:suspend", "hotplate suspend, for any number of stacks"),
        "resume": ("stack_operations:resume", "hotplate resume, for any number of stacks"),
        "abandon": ("stack_operations:abandon", "hotplate abandon, without a question"),
        "adopt": ("stack_operations:adopt", "hotplate adopt"),
        "snapshot": ("snapshots:snapshot", "hotplate snapshot"),
        "hook": ("hooks:hook", "hotplate hook"),
        "list": ("listing:ls", "hotplate ls"),
        "show": ("showing:show", "hotplate show"),
        "resource": ("stack:resource", "hotplate resources, resource, signal"),
        "event": ("stack:event", "hotplate events"),
        "output": ("stack:output", "hotplate outputs"),
        "failures": ("stack:failures", "hotplate failures"),
        "environment": ("environment:environment", "hotplate environment"),
        "template": ("template:template", "hotplate template"),
        "file": ("stack:file", "hotplate template files"),
        "export": ("handover:export", "hotplate export"),
    },
)

resource = LazyGroup(
    "resource",
    help="Resources of stacks.",
    lazy={
        "list": ("resources:resources", "hotplate resources"),
        "show": ("resource:show", "hotplate resource show"),
        "metadata": ("resource:metadata", "hotplate resource metadata"),
        "signal": ("signalling:signal", "hotplate signal"),
        "mark": ("stack:mark", "hotplate resource mark-unhealthy"),
    },
)
mark = LazyGroup(
    "mark",
    help="Marks of resources.",
    lazy={"unhealthy": ("resource:mark_unhealthy", "hotplate resource mark-unhealthy")},
)
event = LazyGroup(
    "event",
    help="Events of stacks.",
    lazy={
        "list": ("events:events", "hotplate events"),
        "show": ("events:show", "All that one event says"),
    },
)
output = LazyGroup(
    "output",
    help="Outputs of stacks.",
    lazy={
        "list": ("showing:outputs", "hotplate outputs"),
        "show": ("showing:outputs", "hotplate outputs"),
    },
)
failures = LazyGroup(
    "failures",
    help="What failed in stacks.",
    lazy={"list": ("failing:failures", "hotplate failures")},
)
file = LazyGroup(
    "file",
    help="Files of stacks.",
    lazy={"list": ("template:files", "hotplate template files")},
)
