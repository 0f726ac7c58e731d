"""`hotplate stack …`: the commands under the names that users of `openstack stack` know."""

from hotplate.cli.command_line.lazy_commands import LazyGroup

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
        "Show": [
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
        "create": ("stack.operations:create", "hotplate up, for a new stack, without a question"),
        "update": ("stack.operations:update", "hotplate up, for a stack that exists"),
        "delete": ("stack.operations:delete", "hotplate down, for any number of stacks"),
        "cancel": ("stack.operations:cancel", "hotplate cancel, for any number of stacks"),
        "check": ("stack.operations:check", "hotplate check, for any number of stacks"),
        "suspend": ("stack.operations:suspend", "hotplate suspend, for any number of stacks"),
        "resume": ("stack.operations:resume", "hotplate resume, for any number of stacks"),
        "abandon": ("stack.operations:abandon", "hotplate abandon, without a question"),
        "adopt": ("stack.operations:adopt", "hotplate adopt"),
        "snapshot": ("change.snapshot:snapshot", "hotplate snapshot"),
        "hook": ("change.hook:hook", "hotplate hook"),
        "list": ("show.ls:ls", "hotplate ls"),
        "show": ("show.show:show", "hotplate show"),
        "resource": ("stack.group:resource", "hotplate resources, resource, signal"),
        "event": ("stack.group:event", "hotplate events"),
        "output": ("stack.group:output", "hotplate outputs"),
        "failures": ("stack.group:failures", "hotplate failures"),
        "environment": ("show.environment:environment", "hotplate environment"),
        "template": ("templates.template:template", "hotplate template"),
        "file": ("stack.group:file", "hotplate template files"),
        "export": ("change.export:export", "hotplate export"),
    },
)

resource = LazyGroup(
    "resource",
    help="Resources of stacks.",
    lazy={
        "list": ("show.resources:resources", "hotplate resources"),
        "show": ("show.resource:show", "hotplate resource show"),
        "metadata": ("show.resource:metadata", "hotplate resource metadata"),
        "signal": ("change.signal:signal", "hotplate signal"),
        "mark": ("stack.group:mark", "hotplate resource mark-unhealthy"),
    },
)
mark = LazyGroup(
    "mark",
    help="Marks of resources.",
    lazy={"unhealthy": ("show.resource:mark_unhealthy", "hotplate resource mark-unhealthy")},
)
event = LazyGroup(
    "event",
    help="Events of stacks.",
    lazy={
        "list": ("show.events:events", "hotplate events"),
        "show": ("show.events:show", "All that one event says"),
    },
)
output = LazyGroup(
    "output",
    help="Outputs of stacks.",
    lazy={
        "list": ("show.outputs:outputs", "hotplate outputs"),
        "show": ("show.outputs:outputs", "hotplate outputs"),
    },
)
failures = LazyGroup(
    "failures",
    help="What failed in stacks.",
    lazy={"list": ("show.failures:failures", "hotplate failures")},
)
file = LazyGroup(
    "file",
    help="Files of stacks.",
    lazy={"list": ("templates.template:files", "hotplate template files")},
)
