"""OS::Heat::WaitConditionHandle and its relatives: they receive the signals of wait conditions."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from hotplate.resources.capabilities import Adoptable, AlwaysReplaced, TakesSignals
from hotplate.resources.property import Property
from hotplate.resources.resource_type import (
    BadSignal,
    Creation,
    Done,
    Resource,
    Result,
)
from hotplate.resources.signals import addresses_of
from hotplate.resources.support import Support
from hotplate.template.constraint import AllowedValues

SUCCESS = "SUCCESS"
FAILURE = "FAILURE"
NO_SIGNAL = "NO_SIGNAL"
"""Whoever waits for such a handle need not wait."""

_BY_TOKEN = "TOKEN_SIGNAL"  # noqa: S105  # the name of a transport
_STATUSES = (SUCCESS, FAILURE)
_KEY_LENGTH = 32


def key_of(resource: Resource) -> str:
    """Return the key of a resource's signed addresses; drawn the first time."""
    kept = resource.data.get("key")
    return str(kept) if kept else drawn_key(resource)


def drawn_key(resource: Resource) -> str:
    """Return a new key."""
    return "".join(resource.world.random.choices("0123456789abcdef", k=_KEY_LENGTH))


def timestamp(resource: Resource) -> str:
    """Return the time as it stands in a signed address."""
    return datetime.fromtimestamp(resource.world.now(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def entries(signals: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return what the signals say, by their ids; of two with the same id the later one counts."""
    return {
        signal["id"]: {key: signal[key] for key in ("data", "reason", "status")}
        for signal in signals
    }


class WaitConditionHandle(TakesSignals, Adoptable):
    """Takes signals and keeps them for a wait condition. Its reference is its creation token."""

    name = "OS::Heat::WaitConditionHandle"
    support = Support(version="2014.2")
    creation = Creation.REPEATABLE
    instant = True
    irrecoverable = "the key that signs its address and what it has been told"
    properties = {
        "signal_transport": Property(
            default=_BY_TOKEN,
            constraints=(
                AllowedValues(
                    (
                        "CFN_SIGNAL",
                        "TEMP_URL_SIGNAL",
                        "HEAT_SIGNAL",
                        NO_SIGNAL,
                        "ZAQAR_SIGNAL",
                        _BY_TOKEN,
                    )
                ),
            ),
            description="how the signal is sent",
        )
    }
    attributes = {
        "token": "what to send as X-Auth-Token; the address needs none, so anything will do",
        "endpoint": "where to send the signal with TOKEN_SIGNAL; the address carries its own proof",
        "curl_cli": "a command that does so; add the body with --data-binary",
        "signal": "how to send the signal, as JSON",
    }
    secret_attributes = frozenset(("endpoint", "curl_cli", "signal"))

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        transport = properties["signal_transport"]
        if transport in ("TEMP_URL_SIGNAL", "ZAQAR_SIGNAL"):
            return f"{transport} needs a service that is not here; use CFN_SIGNAL"
        return ""

    async def create(self, resource: Resource) -> Result:
        return self._made(resource)

    async def adopt(self, resource: Resource) -> Result:
        return self._made(resource)

    def _made(self, resource: Resource) -> Done:
        key = key_of(resource)
        address = addresses_of(resource).signed(resource, key, "signal", timestamp(resource))
        transport = resource.properties["signal_transport"]
        by_token = transport == _BY_TOKEN
        curl = (
            "curl -i -X POST -H 'Content-Type: application/json' "
            f"-H 'Accept: application/json' '{address}'"
        )
        signal: dict[str, Any] | None = None
        if transport == "CFN_SIGNAL":
            signal = {"alarm_url": address}
        elif transport == "HEAT_SIGNAL":
            # No user is made who could log in: the address needs none.
            signal = {"alarm_url": address, "project_id": resource.project}
        elif transport == NO_SIGNAL:
            signal = {}
        return Done(
            physical_id=resource.creation_token,
            reference=resource.creation_token,
            attributes={
                "token": resource.creation_token if by_token else None,
                "endpoint": address if by_token else None,
                "curl_cli": curl if by_token else None,
                "signal": json.dumps(signal),
            },
            data={"key": key, "transport": transport},
        )

    def received(
        self, details: Mapping[str, Any], earlier: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        unknown = sorted(set(details) - {"status", "reason", "data", "id"})
        if unknown:
            raise BadSignal(f"Metadata format invalid: unknown {', '.join(unknown)}")
        status = details.get("status", SUCCESS)
        if status not in _STATUSES:
            raise BadSignal(f"Metadata format invalid: the status must be {' or '.join(_STATUSES)}")
        is_whole = "id" in details and "reason" in details
        ordinal = 0 if is_whole else len({signal["id"] for signal in earlier}) + 1
        return {
            "id": str(details.get("id", ordinal)),
            "status": status,
            "reason": str(details.get("reason", f"Signal {ordinal} received")),
            "data": details.get("data"),
        }

    def signal_news(self, kept: Mapping[str, Any]) -> str:
        return f"status:{kept['status']} reason:{kept['reason']}"

    def shown_metadata(
        self, written: Mapping[str, Any], signals: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        return {**written, **entries(signals)}


class CfnWaitConditionHandle(WaitConditionHandle):
    """Takes signals in the form of AWS. Its reference is the signed address."""

    name = "AWS::CloudFormation::WaitConditionHandle"
    support = Support(version="2014.1")
    properties = {}
    attributes = {}
    secret_attributes = frozenset(("",))

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        return ""

    def _made(self, resource: Resource) -> Done:
        key = key_of(resource)
        addresses = addresses_of(resource)
        address = addresses.signed(resource, key, "waitcondition", timestamp(resource))
        return Done(
            physical_id=resource.creation_token, reference=address, attributes={}, data={"key": key}
        )

    def received(
        self, details: Mapping[str, Any], earlier: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        wanted = {"Status", "Reason", "Data", "UniqueId"}
        if set(details) != wanted:
            raise BadSignal(f"Metadata format invalid: it needs {', '.join(sorted(wanted))}")
        if details["Status"] not in _STATUSES:
            raise BadSignal(f"Metadata format invalid: Status must be {' or '.join(_STATUSES)}")
        return {
            "id": str(details["UniqueId"]),
            "status": details["Status"],
            "reason": str(details["Reason"]),
            "data": details["Data"],
        }

    def shown_metadata(
        self, written: Mapping[str, Any], signals: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        received = {
            name: {"Data": one["data"], "Reason": one["reason"], "Status": one["status"]}
            for name, one in entries(signals).items()
        }
        return {**written, **received}


class UpdateWaitConditionHandle(CfnWaitConditionHandle, AlwaysReplaced):
    """The same, made anew by every update of the stack: what was told before does not count."""

    name = "OS::Heat::UpdateWaitConditionHandle"
    support = Support(version="2014.1")
