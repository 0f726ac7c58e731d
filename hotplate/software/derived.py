"""The config that really goes to a server: a copy of another, with all its values filled in.

A config is made once and deployed to many servers. For each deployment a copy is made, whose
inputs have the values for that server, and some from which its agent learns what it works for
and how to report back. Agents know these by their names, which begin with ``deploy_``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hotplate.model import Input, SoftwareConfig
from hotplate.software.draft import ConfigDraft


@dataclass(frozen=True, slots=True)
class Signal:
    """How the agent reports back: by which transport, and what it needs for that.

    ``inputs`` are what the transport needs: names without ``deploy_``, and values.
    """

    transport: str
    inputs: Mapping[str, Any]


def derive(
    source: SoftwareConfig, name: str, values: Mapping[str, Any], extra: Sequence[Input]
) -> ConfigDraft:
    """Return the copy of a config for one deployment.

    Each input has the value given for it, else its default. Values without an input become
    inputs. ``extra`` comes last; its inputs take the place of any of the same name.
    """
    declared = [
        replace(each, value=values.get(each.name, each.default), has_value=True)
        for each in source.inputs
    ]
    known = {each.name for each in declared}
    undeclared = [
        Input(name=key, value=value, has_value=True)
        for key, value in values.items()
        if key not in known
    ]
    taken = {each.name for each in extra}
    inputs = [each for each in (*declared, *undeclared) if each.name not in taken]
    return ConfigDraft(
        name=name,
        group=source.group,
        config=source.config,
        inputs=(*inputs, *extra),
        outputs=source.outputs,
        options=source.options,
    )


def deploy_inputs(
    server_id: str, action: str, stack_id: str, resource_name: str, signal: Signal
) -> tuple[Input, ...]:
    """Return the inputs from which an agent learns what it works for and how to report back.

    ``stack_id`` is the name and the id of the stack, with a slash between them.
    """
    known = {
        "server_id": ("ID of the server being deployed to", server_id),
        "action": ("What is being done to the stack", action),
        "stack_id": ("Name and ID of the stack", stack_id),
        "resource_name": ("Name of the resource in the stack", resource_name),
        "signal_transport": ("How to report back", signal.transport),
        **{key: (None, value) for key, value in signal.inputs.items()},
    }
    return tuple(
        Input(name=f"deploy_{key}", description=description, value=value, has_value=True)
        for key, (description, value) in known.items()
    )
