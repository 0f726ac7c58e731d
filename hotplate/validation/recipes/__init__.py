"""Whether a stack can be made of a recipe, found out before anything is stored."""

from typing import TYPE_CHECKING

from hotplate.lazy_names import loaded_on_use

if TYPE_CHECKING:
    from hotplate.validation.recipes.cloud_check import CloudChecks, checked_by_cloud
    from hotplate.validation.recipes.recipe_check import (
        StackToBe,
        may_name_templates,
        missing_templates,
        statically_checked,
        used_types,
        validated,
    )
    from hotplate.validation.recipes.remote_check import ask_remote_servers
    from hotplate.validation.recipes.stack_check import (
        refuse_changed_immutables,
        refuse_external_conflicts,
    )

__all__ = [
    "CloudChecks",
    "StackToBe",
    "ask_remote_servers",
    "checked_by_cloud",
    "may_name_templates",
    "missing_templates",
    "refuse_changed_immutables",
    "refuse_external_conflicts",
    "statically_checked",
    "used_types",
    "validated",
]

__getattr__ = loaded_on_use(
    __name__,
    {
        "cloud_check": ("CloudChecks", "checked_by_cloud"),
        "recipe_check": (
            "StackToBe",
            "may_name_templates",
            "missing_templates",
            "statically_checked",
            "used_types",
            "validated",
        ),
        "remote_check": ("ask_remote_servers",),
        "stack_check": ("refuse_changed_immutables", "refuse_external_conflicts"),
    },
)
