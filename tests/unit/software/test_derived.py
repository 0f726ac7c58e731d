"""The copy of a config that goes to one server."""

from hotplate.model import Input, Output, SoftwareConfig, ValueType
from hotplate.software import ConfigDraft, Signal, deploy_inputs, derive

SOURCE = SoftwareConfig(
    id="c",
    project="p",
    name="source",
    group="script",
    config="#!/bin/sh",
    inputs=(Input("size", ValueType.NUMBER, default=3), Input("colour"), Input("shape")),
    outputs=(Output("result"),),
    options={"o": 1},
    created_at=1.0,
)


def values_of(draft: ConfigDraft) -> dict[str, object]:
    assert all(each.has_value for each in draft.inputs)
    return {each.name: each.value for each in draft.inputs}


def test_the_copy_keeps_all_but_the_name() -> None:
    draft = derive(SOURCE, "copy", {}, ())
    assert (draft.name, draft.group, draft.config) == ("copy", "script", "#!/bin/sh")
    assert (draft.outputs, draft.options) == (SOURCE.outputs, SOURCE.options)


def test_every_input_has_the_given_value_or_its_default() -> None:
    """Agents look up the value of each input, so it is there even if it is null."""
    draft = derive(SOURCE, "copy", {"colour": "red"}, ())
    assert values_of(draft) == {"size": 3, "colour": "red", "shape": None}
    assert draft.inputs[0].type is ValueType.NUMBER
    assert draft.inputs[2].document() == {"name": "shape", "type": "String", "value": None}


def test_a_value_without_an_input_becomes_one() -> None:
    draft = derive(SOURCE, "copy", {"taste": "sweet"}, ())
    assert draft.inputs[-1] == Input("taste", value="sweet", has_value=True)


def test_what_the_agent_is_told_cannot_be_overridden() -> None:
    told = deploy_inputs("s", "CREATE", "web/1", "setup", Signal("NO_SIGNAL", {}))
    draft = derive(SOURCE, "copy", {"deploy_action": "DELETE"}, told)
    assert [each.value for each in draft.inputs if each.name == "deploy_action"] == ["CREATE"]
    assert [each.name for each in draft.inputs] == [
        "size",
        "colour",
        "shape",
        "deploy_server_id",
        "deploy_action",
        "deploy_stack_id",
        "deploy_resource_name",
        "deploy_signal_transport",
    ]


def test_the_agent_is_told_how_to_report_back() -> None:
    signal = Signal("CFN_SIGNAL", {"signal_id": "http://x", "signal_verb": "POST"})
    told = {
        each.name: each.value for each in deploy_inputs("s", "CREATE", "web/1", "setup", signal)
    }
    assert told == {
        "deploy_server_id": "s",
        "deploy_action": "CREATE",
        "deploy_stack_id": "web/1",
        "deploy_resource_name": "setup",
        "deploy_signal_transport": "CFN_SIGNAL",
        "deploy_signal_id": "http://x",
        "deploy_signal_verb": "POST",
    }
