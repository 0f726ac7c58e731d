"""What a resource shall be, with all values in place, as it is compared and stored."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Final, Self

from hotplate.model.states import Action, ReasonCode
from hotplate.secret import NO_SECRETS, Secrets, holds_secret, secret_at, secret_paths

_CHANGED: Final = "changed"
"""In place of the digest of a recipe: differs from whatever a stack is to be made of."""

_SECRETS: Final = "secrets"
_TYPED: Final = ("properties", "metadata")
"""Where secrets are typed, and the key of their paths in what is stored."""


@dataclass(frozen=True, slots=True)
class EarlierFailure:
    """How a version had failed before it was marked unhealthy."""

    action: Action
    reason: str
    code: ReasonCode = ReasonCode.NONE


@dataclass(slots=True)
class Definition:
    """What a resource shall be, or, on a version, what was applied to it last.

    ``type`` is the type as the template names it, ``type_name`` what the registry makes of it; on a
    version to which nothing has been applied, it is empty like all the rest.
    ``child_digest`` is that of what the nested stack is made of, for a resource that is one; it is
    stored as ``child``.
    ``external_id`` is the external object that it shall be, which is never touched: then there are
    no properties.

    Secrets in ``properties`` and ``metadata`` are typed as such. It is stored where they are, so
    that whoever reads the definition knows it without the template.

    A fact that is never changed, nor are the maps in it: `replace` makes another one. It is not
    frozen because then reading ten thousand of them would take three times as long.
    """

    type: str
    type_name: str
    properties: dict[str, Any]
    metadata: dict[str, Any]
    deletion_policy: str
    update_policy: dict[str, Any]
    depends_on: tuple[str, ...]
    child_digest: str = ""
    sent: str = ""
    """The digest of the files and the environment that are sent elsewhere with it."""

    external_id: str = ""
    failed: EarlierFailure | None = None
    """On a version that was marked unhealthy after it had failed. The next update forgets it."""

    _fingerprint: str = field(default="", init=False, repr=False, compare=False)
    _text: str = field(default="", init=False, repr=False, compare=False)
    _secret_paths: list[list[Any]] | None = field(
        default=None, init=False, repr=False, compare=False
    )

    @classmethod
    def from_data(cls, type_name: str, data: Mapping[str, Any]) -> Self:
        """Return what `as_data` wrote of a resource whose template names this type."""
        get = data.get
        failed = get("failed")
        if _SECRETS in data:
            data = {**data, **secret_at({key: get(key, {}) for key in _TYPED}, data[_SECRETS])}
            get = data.get
        return cls(
            type_name,
            # The first databases did not store this name beside the type.
            get("kind") or (type_name if "properties" in data else ""),
            get("properties", {}),
            get("metadata", {}),
            get("deletion_policy", ""),
            get("update_policy", {}),
            tuple(get("depends_on", ())),
            get("child", ""),
            get("sent", ""),
            get("external_id", "") or "",
            None
            if failed is None
            else EarlierFailure(Action(failed[0]), failed[1], *map(ReasonCode, failed[2:])),
        )

    @property
    def is_applied(self) -> bool:
        """Whether it says anything: False for a version to which nothing has been applied."""
        return bool(self.type_name)

    def as_data(self) -> dict[str, Any]:
        """Return it as it is stored. The type is a column of its own."""
        data: dict[str, Any] = {}
        if self.type_name:
            data = {
                "kind": self.type_name,
                "child": self.child_digest,
                "properties": self.properties,
                "metadata": self.metadata,
                "deletion_policy": self.deletion_policy,
                "update_policy": self.update_policy,
                "depends_on": list(self.depends_on),
            }
            if paths := self.secret_paths():
                data[_SECRETS] = paths
        if self.sent:
            data["sent"] = self.sent
        if self.external_id:
            data["external_id"] = self.external_id
        if self.failed is not None:
            code = self.failed.code
            data["failed"] = [self.failed.action.value, self.failed.reason]
            data["failed"] += [code.value] if code is not ReasonCode.NONE else []
        return data

    def as_text(self) -> str:
        """Return the same as JSON, written once: resources that are alike have one together."""
        if not self._text:
            self._text = json.dumps(self.as_data())
        return self._text

    def secret_paths(self) -> list[list[Any]]:
        """Return where its secrets are, computed once; paths begin with properties or metadata."""
        if self._secret_paths is None:
            self._secret_paths = []
            if holds_secret(self.properties) or holds_secret(self.metadata):
                typed = {key: getattr(self, key) for key in _TYPED}
                self._secret_paths = secret_paths(typed)
        return self._secret_paths

    def secrets(self) -> Secrets:
        """Return its secrets, to be found in texts."""
        if not self.secret_paths():
            return NO_SECRETS
        return Secrets.inside(self.properties, self.metadata)

    def fingerprint(self) -> str:
        """Return a digest, computed once: two definitions are equal if theirs are."""
        if not self._fingerprint:
            text = json.dumps([self.type, self.as_data()], sort_keys=True)
            self._fingerprint = sha256(text.encode()).hexdigest()
        return self._fingerprint

    def with_nested_changes(self) -> Self:
        """Return it as that of a nested stack that the next update must visit."""
        return replace(self, child_digest=_CHANGED)


NOT_APPLIED: Final = Definition("", "", {}, {}, "", {}, ())
"""The definition of a version to which nothing has been applied."""
