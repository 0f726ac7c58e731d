"""OS::Heat::Stack and AWS::CloudFormation::Stack: a stack from a template that is a property."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hotplate.document import Data, InvalidDocument, parse
from hotplate.resources.capabilities import HasVariants, NestedStack
from hotplate.resources.heat.remote_stack import RemoteStack, names_a_region
from hotplate.resources.heat.stack_properties import ATTRIBUTE_KINDS, ATTRIBUTES, PROPERTIES
from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.resource_type import (
    Child,
    ResourceType,
    Source,
    TemplateMissing,
)
from hotplate.template import NoValue

_OUTPUT = "Outputs."
_MOST_MINUTES = 2**31 - 1


class Stack(NestedStack, HasVariants):
    """A stack from a template that is given as text, here or in another region."""

    name = "OS::Heat::Stack"
    properties = PROPERTIES
    attributes = ATTRIBUTES
    attribute_kinds = ATTRIBUTE_KINDS

    _elsewhere = RemoteStack()

    @property
    def variants(self) -> Sequence[ResourceType]:
        return (self._elsewhere,)

    def variant(self, properties: Mapping[str, Any]) -> ResourceType:
        return self._elsewhere if names_a_region(properties.get("context")) else self

    def has_attribute(self, name: str) -> bool:
        return name == "show" or name in self.attributes

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        if fault := _timeout_fault(properties["timeout"]):
            return fault
        if not names_a_region(properties["context"]):
            return ""
        try:
            # What is in it is for the other server to judge: it may know other types.
            parse(properties["template"], "template")
        except InvalidDocument as fault:
            return str(fault)
        return ""

    def child_source(self, properties: Mapping[str, Any], files: Mapping[str, str]) -> Source:
        return Source(properties["template"], properties["parameters"] or {})

    def child_timeout(self, properties: Mapping[str, Any]) -> int | None:
        return properties["timeout"] or None

    def child_reference(self, child: Child) -> str:
        return child.id

    def child_attributes(
        self, properties: Mapping[str, Any], child: Child, wanted: Iterable[tuple[Data, ...]]
    ) -> dict[str, Data]:
        # All of them are one attribute: one that failed does not spoil the others.
        outputs = {
            name: None if isinstance(value, NoValue) else value
            for name, value in child.outputs.items()
        }
        found: dict[str, Data] = {"stack_name": child.name, "outputs": outputs}
        return {**found, "show": {"id": child.id, **found}}


class CfnStack(NestedStack):
    """A stack from the template at an address."""

    name = "AWS::CloudFormation::Stack"
    properties = {
        "TemplateURL": Property(
            required=True, updatable=True, description="where the template of the stack is"
        ),
        "TimeoutInMinutes": Property(
            PropertyKind.INTEGER,
            updatable=True,
            description="how long making or changing the stack may take",
        ),
        "Parameters": Property(
            PropertyKind.MAP, updatable=True, description="values for the template's parameters"
        ),
    }

    def has_attribute(self, name: str) -> bool:
        return name == "show" or name.startswith(_OUTPUT)

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        return _timeout_fault(properties["TimeoutInMinutes"])

    def child_source(self, properties: Mapping[str, Any], files: Mapping[str, str]) -> Source:
        url = properties["TemplateURL"]
        if url not in files:
            raise TemplateMissing(url)
        return Source(files[url], properties["Parameters"] or {})

    def child_timeout(self, properties: Mapping[str, Any]) -> int | None:
        return properties["TimeoutInMinutes"] or None

    def child_reference(self, child: Child) -> str:
        return child.arn

    def child_attributes(
        self, properties: Mapping[str, Any], child: Child, wanted: Iterable[tuple[Data, ...]]
    ) -> dict[str, Data]:
        found = {f"{_OUTPUT}{name}": value for name, value in child.outputs.items()}
        # What is asked for and not there is null, and is not missing next time.
        asked = {str(path[0]): None for path in wanted if path}
        return {**asked, **found}


def _timeout_fault(minutes: int | None) -> str:
    if (minutes or 0) < 0:
        return "the timeout is below 0; leave it out, or write minutes"
    if (minutes or 0) > _MOST_MINUTES:
        return f"the timeout has more than {_MOST_MINUTES} minutes; leave it out for no limit"
    return ""
