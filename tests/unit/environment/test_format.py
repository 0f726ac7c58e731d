"""The format of an environment is checked completely, and every fault has its place."""

import pytest

from hotplate.document import InvalidDocument, from_data
from hotplate.document import parse as read
from hotplate.environment import parse


def faults(text: str) -> list[str]:
    with pytest.raises(InvalidDocument) as refusal:
        parse(read(text, "env.yaml"))
    return [str(problem) for problem in refusal.value.problems]


def warnings(text: str) -> list[str]:
    return [str(warning) for warning in parse(read(text, "env.yaml")).warnings]


@pytest.mark.parametrize("text", ["", "{}", "parameters: {}", "# nothing\n"])
def test_an_environment_may_be_empty(text: str) -> None:
    assert not any(parse(read(text, "env.yaml")).sections.values())


def test_an_environment_with_every_section_is_accepted() -> None:
    text = """
parameters: {image: cirros, port: null}
parameter_defaults: {flavor: m1.tiny}
parameter_merge_strategies: {default: merge, image: overwrite, flavor: deep_merge}
resource_registry:
  base_url: http://example.com/
  My::Type: my.yaml
  OS::Net*: OS::Neutron*
  My::Gone:
  resources:
    gone:
    server:
      base_url: file:///there
      OS::Nova::Server: special.yaml
      hooks: [pre-create, post-delete]
      restricted_actions: update
    parent:
      "*_db": {hooks: pre-update, restricted_actions: []}
      inner: {hooks: , leaf: {My::Type: }}
event_sinks: [{type: zaqar-queue, target: q, ttl: 3600}]
encrypted_param_names: [image]
"""
    assert warnings(text) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "parameters: {}\n\nparameter_default: {}",
            'env.yaml:3:1: parameter_default: unknown section; did you mean "parameter_defaults"?',
        ),
        (
            "parameters: {}\nfoo: 1",
            "env.yaml:2:1: foo: unknown section; the sections are parameters, "
            "parameter_defaults, parameter_merge_strategies, resource_registry, "
            "encrypted_param_names, event_sinks",
        ),
        (
            "image: cirros\nflavor: tiny",
            "env.yaml:1:1: image: unknown section, and there is no other that is known; "
            'write the values of parameters below "parameters:"',
        ),
        (
            "heat_template_version: 2018-08-31",
            "env.yaml:1:1: heat_template_version: this is a template, not an environment; "
            "give it as the template, and environments apart from it",
        ),
        (
            "environment_files: [a.yaml]",
            "env.yaml:1:1: environment_files: an environment cannot include other files; "
            "list it in the request, in the order in which the files apply",
        ),
        (
            "parameters:",
            "env.yaml:1:1: parameters: is empty; give it a value or leave it out",
        ),
        ("parameters: [a]", "env.yaml:1:1: parameters: must be a map, not a list"),
        ("event_sinks: {}", "env.yaml:1:1: event_sinks: must be a list, not a map"),
        ("[1]", "env.yaml:1:1: an environment must be a map of sections, not a list"),
        (
            "parameter_merge_strategies: {p: deepmerge}",
            "env.yaml:1:30: parameter_merge_strategies.p: unknown merge strategy "
            '"deepmerge"; did you mean "deep_merge"?',
        ),
        (
            "parameter_merge_strategies: {p: }",
            "env.yaml:1:30: parameter_merge_strategies.p: unknown merge strategy nothing; "
            "the strategies are overwrite, merge, deep_merge",
        ),
        (
            "resource_registry: {resources: {a: {hooks: pre-craete}}}",
            "env.yaml:1:37: resource_registry.resources.a.hooks: unknown hook "
            '"pre-craete"; did you mean "pre-create"?',
        ),
        (
            "resource_registry: {resources: {a: {b: {restricted_actions: [update, delete]}}}}",
            "env.yaml:1:70: resource_registry.resources.a.b.restricted_actions.1: unknown "
            'restricted action "delete"; known are update, replace',
        ),
        (
            "resource_registry: {resources: {a: {hooks: {x: 1}}}}",
            "env.yaml:1:37: resource_registry.resources.a.hooks: must be a text or a list of "
            "texts; known are pre-create, pre-update, pre-delete, post-create, post-update, "
            "post-delete",
        ),
        (
            "resource_registry: {My::Type: 5}",
            "env.yaml:1:21: resource_registry.My::Type: must name a type or a template file",
        ),
        (
            'resource_registry: {My::Type: ""}',
            "env.yaml:1:21: resource_registry.My::Type: must name a type or a template file; "
            "write null to remove an entry",
        ),
        (
            "resource_registry: {server: {My::Type: a.yaml}}",
            "env.yaml:1:21: resource_registry.server: must name a type or a template file, not "
            'a map; what concerns one resource stands below "resources"',
        ),
        (
            "resource_registry: {resources: }",
            "env.yaml:1:21: resource_registry.resources: must be a map of resource names",
        ),
        (
            "resource_registry: {resources: {My::Type: a.yaml}}",
            "env.yaml:1:33: resource_registry.resources.My::Type: must be a map of what holds "
            "for this resource; write the name of a resource, and below it the type",
        ),
        (
            "resource_registry: {base_url: 1}",
            "env.yaml:1:21: resource_registry.base_url: must be a text, the address that "
            "relative files start from",
        ),
        (
            "event_sinks: [zaqar]",
            'env.yaml:1:15: event_sinks.0: must be a map with "type" and "target", not a text',
        ),
        (
            "event_sinks: [{target: q}]",
            "env.yaml:1:15: event_sinks.0.type: an event sink needs a type; the types are "
            "zaqar-queue",
        ),
        (
            "event_sinks: [{type: zaqar-queue, target: q, ttl: 0}]",
            "env.yaml:1:46: event_sinks.0.ttl: must be a number of seconds, 1 or more",
        ),
        (
            "encrypted_param_names: [a, 1]",
            "env.yaml:1:28: encrypted_param_names.1: must be the name of a parameter, not a number",
        ),
    ],
)
def test_a_fault_names_its_place_and_what_to_do(text: str, fault: str) -> None:
    assert faults(text) == [fault]


def test_all_faults_are_reported_at_once_in_reading_order() -> None:
    text = """parameter: {a: 1}
parameters: [1]
resource_registry:
  A: 1
  resources: {a: {hooks: x}, b: {restricted_actions: y}}
event_sinks: [{type: zaqar-queue, tagret: q}]
"""
    assert [fault.split(":")[1] for fault in faults(text)] == ["1", "2", "4", "5", "5", "6", "6"]


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (
            "resource_registry: {hooks: pre-create}",
            "env.yaml:1:21: resource_registry.hooks: has no effect here; write it below "
            '"resources" and the name of a resource',
        ),
        (
            "resource_registry: {resources: {hooks: pre-create}}",
            "env.yaml:1:33: resource_registry.resources.hooks: has no effect here; write it "
            "below the name of a resource",
        ),
        (
            "resource_registry: {My::*: my.yaml}",
            "env.yaml:1:21: resource_registry.My::*: has no effect here; a wildcard can lead to "
            "a type, not to a template file",
        ),
        (
            "resource_registry: {resources: {a: {My::*: Your::Type}}}",
            "env.yaml:1:37: resource_registry.resources.a.My::*: has no effect here; name the "
            "type in full: wildcards work at the top only",
        ),
    ],
)
def test_what_heat_accepts_but_never_uses_is_a_warning(text: str, warning: str) -> None:
    assert warnings(text) == [warning]


def test_decoded_data_is_refused_by_path_without_lines() -> None:
    with pytest.raises(InvalidDocument) as refusal:
        parse(from_data({"parameters": 1}, "inline environment"))
    assert str(refusal.value) == "inline environment: parameters: must be a map, not a number"


def test_long_words_are_shortened_in_problems() -> None:
    (fault,) = faults("parameter_merge_strategies: {p: " + "x" * 100_000 + "}")
    assert len(fault) < 300
