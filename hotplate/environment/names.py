"""The words that may stand in an environment."""

from enum import Enum
from typing import Final

PARAMETERS: Final = "parameters"
PARAMETER_DEFAULTS: Final = "parameter_defaults"
MERGE_STRATEGIES: Final = "parameter_merge_strategies"
REGISTRY: Final = "resource_registry"
ENCRYPTED: Final = "encrypted_param_names"
EVENT_SINKS: Final = "event_sinks"

MAP_SECTIONS: Final = (PARAMETERS, PARAMETER_DEFAULTS, MERGE_STRATEGIES, REGISTRY)
LIST_SECTIONS: Final = (ENCRYPTED, EVENT_SINKS)
SECTIONS: Final = (*MAP_SECTIONS, *LIST_SECTIONS)
EFFECTIVE_SECTIONS: Final = (PARAMETERS, PARAMETER_DEFAULTS, REGISTRY, EVENT_SINKS, ENCRYPTED)
"""What a merged environment has: strategies are used up by merging."""

RESOURCES: Final = "resources"
HOOKS: Final = "hooks"
RESTRICTED_ACTIONS: Final = "restricted_actions"
BASE_URL: Final = "base_url"

INLINE: Final = "inline environment"
"""Name of the document for an environment that a request carries in its body."""

EXPLICIT: Final = "explicit parameters"
"""Name of the document for parameters that a request gives outside any environment."""

TEMPLATE_SUFFIXES: Final = (".yaml", ".template")


class Hook(Enum):
    """A point at which a resource waits until it is cleared."""

    PRE_CREATE = "pre-create"
    PRE_UPDATE = "pre-update"
    PRE_DELETE = "pre-delete"
    POST_CREATE = "post-create"
    POST_UPDATE = "post-update"
    POST_DELETE = "post-delete"


class RestrictedAction(Enum):
    """What an update must not do to a resource."""

    UPDATE = "update"
    REPLACE = "replace"


class Strategy(Enum):
    """How a later value of a parameter joins an earlier one."""

    OVERWRITE = "overwrite"
    MERGE = "merge"
    DEEP_MERGE = "deep_merge"


def is_template_file(name: str) -> bool:
    """Whether a registry value, or a resource type, names a template instead of a type."""
    return name.endswith(TEMPLATE_SUFFIXES)
