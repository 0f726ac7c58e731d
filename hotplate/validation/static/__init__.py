"""What can be said of a template by its text and the resource types, whatever its values."""

from typing import TYPE_CHECKING

from hotplate.lazy_names import loaded_on_use

if TYPE_CHECKING:
    from hotplate.validation.static.constraint_check import constraint_faults
    from hotplate.validation.static.property_check import (
        property_faults,
        property_problem,
        type_problem,
    )
    from hotplate.validation.static.static_check import StaticCheck
    from hotplate.validation.static.template_tree import TemplateTree
    from hotplate.validation.static.written_properties import WrittenProperties

__all__ = [
    "StaticCheck",
    "TemplateTree",
    "WrittenProperties",
    "constraint_faults",
    "property_faults",
    "property_problem",
    "type_problem",
]

__getattr__ = loaded_on_use(
    __name__,
    {
        "constraint_check": ("constraint_faults",),
        "property_check": ("property_faults", "property_problem", "type_problem"),
        "static_check": ("StaticCheck",),
        "template_tree": ("TemplateTree",),
        "written_properties": ("WrittenProperties",),
    },
)
