"""Resources that are stacks of their own, which the engine makes: groups and nested templates."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from hotplate.document import Data
from hotplate.resources.capabilities.later import ActsLater
from hotplate.resources.property import Property, convert_all
from hotplate.resources.resource import Child, Creation, Source
from hotplate.resources.resource_type import ResourceType
from hotplate.resources.scaling import Adjustment, Scaled
from hotplate.resources.stages import Contents, Stage


class NestedStack(ResourceType):
    """Is a stack, made from `child_source` or, if that is None, from `child_template`.

    The engine creates, changes and deletes that stack; the type's own `create`, `update` and
    `delete` are not called.
    """

    creation = Creation.REPEATABLE
    replace_when_failed = False

    attributes_of_all: ClassVar[frozenset[str]] = frozenset()
    """Attributes that tell something of every member: of very many they are kept only if a template
    asks for one of them, and worked out when somebody looks."""

    def has_attribute(self, name: str) -> bool:
        """Tell whether a template may ask for an attribute.

        What a nested stack offers is not known before it exists.
        """
        return True

    def child_template(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        """Return the template of the nested stack."""
        return {"heat_template_version": "2021-04-16"}

    def child_source(
        self, properties: Mapping[str, Any], files: Mapping[str, str]
    ) -> Source | None:
        """Return the template and the parameters that the user wrote; None if there are none.

        ``files`` are those of the outer stack. Pure. Raises ResourceFailed.
        """
        return None

    def child_timeout(self, properties: Mapping[str, Any]) -> int | None:
        """Return how many minutes an action of the nested stack may take; None for any number."""
        return None

    def child_sample(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        """Return a template like that of the nested stack, but with one resource of each sort.

        It is checked before the stack is made.
        """
        return self.child_template(properties)

    def members(self, properties: Mapping[str, Any]) -> int:
        """Return how many times the resources of `child_sample` will be in the nested stack."""
        return 1

    def child_reference(self, child: Child) -> str:
        """Return what get_resource gives."""
        return str(child.outputs.get("OS::stack_id") or child.arn)

    def child_attributes(
        self, properties: Mapping[str, Any], child: Child, wanted: Iterable[tuple[Data, ...]]
    ) -> dict[str, Data]:
        """Return the attributes: the outputs of the nested stack, and what was asked for."""
        return dict(child.outputs)

    def publishes_members(self, wanted: Iterable[tuple[Data, ...]]) -> bool:
        """Tell whether attributes that are asked for are made of what the members offer.

        If not, `child_attributes` may be asked without the members, where these are very many.
        """
        return True

    def asked_of_members(self, wanted: Iterable[tuple[Data, ...]]) -> dict[str, list[list[Data]]]:
        """Return which attributes of its members are needed for those that it is asked for.

        By the names of the members; what all are asked for stands under ``*``. Members that are
        nested stacks themselves must know it in advance.
        """
        return {}


class StagedStack(NestedStack, ABC):
    """A nested stack that may be changed in several stages, each a template of its own."""

    update_policies: ClassVar[Mapping[str, Property]] = {}
    """What ``update_policy`` may say."""

    def policies(self, properties: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
        """Return by which policies the nested stack goes through its stages.

        ``given`` is what the template says as ``update_policy``. Raises BadProperty.
        """
        return convert_all(self.update_policies, given) if self.update_policies else {}

    @abstractmethod
    def has_stages(
        self, properties: Mapping[str, Any], policies: Mapping[str, Any], data: Mapping[str, Any]
    ) -> bool:
        """Tell whether the nested stack depends on more than the properties.

        If so, `child_stage` is asked for its templates, one after the other. ``policies`` are
        converted values of the update policies, ``data`` what the type keeps of the resource.
        """

    @abstractmethod
    def child_stage(
        self,
        properties: Mapping[str, Any],
        policies: Mapping[str, Any],
        data: Mapping[str, Any],
        contents: Contents,
        timeout: float | None = None,
    ) -> Stage:
        """Return the template that the stack goes to next, given what is in it now. Pure.

        Without policies it is the template that all stages lead to. ``timeout`` is how many
        seconds an action of the stack may take. Raises ResourceFailed.
        """

    def child_ended(
        self, properties: Mapping[str, Any], data: Mapping[str, Any], now: float
    ) -> dict[str, Any] | None:
        """Return what the type keeps once the stack has reached its last stage; None: no change."""
        return None


class Scalable(StagedStack, ActsLater, ABC):
    """A group whose size signals to a policy change, see `AdjustsGroup`."""

    @abstractmethod
    def scaled(
        self,
        properties: Mapping[str, Any],
        data: Mapping[str, Any],
        contents: Contents,
        adjustment: Adjustment,
        now: float,
    ) -> Scaled:
        """Return the next stage that an adjustment leads to, or why there is none. Pure."""

    def kept_metadata(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the metadata of a resource shows of what the type keeps."""
        return {}
