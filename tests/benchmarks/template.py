"""What compiling and resolving a template costs, beside a bare YAML parser on the same text."""

from collections.abc import Callable, Iterator

import yaml

from hotplate.document import parse
from hotplate.template import (
    BoundTemplate,
    ParameterValues,
    Template,
    compile_template,
    parameter_values,
)
from tests.benchmarks.figure import Figure, measure

_RESOURCE = """\
  server{index}:
    type: OS::Nova::Server
    properties:
      name: server-{index}
      flavor: {{get_param: flavor}}
      metadata:
        role: {{list_join: ["-", [web, {{get_param: flavor}}]]}}
      networks:
        - port: {{get_resource: server{previous}}}
      user_data:
        str_replace:
          template: |
            #!/bin/sh
            echo $size
            echo done
          params:
            $size: {{get_param: size}}
"""


def template_text(resources: int) -> str:
    """Return a template of servers, each of which refers to one before it."""
    head = """\
heat_template_version: wallaby
parameters:
  size: {type: number, default: 1}
  flavor: {type: string, default: small}
resources:
  server0: {type: "OS::Heat::None"}
"""
    return head + "".join(
        _RESOURCE.format(index=index, previous=index // 2) for index in range(1, resources)
    )


def figures() -> Iterator[Figure]:
    """Each step on 1,000 resources against the bare parser, then on 10,000 against 1,000."""
    baselines: dict[str, str] = {}
    for resources in (1_000, 10_000):
        text = template_text(resources)
        template = compile_template(parse(text, "bench.yaml"))
        values = parameter_values(template, {})
        bound = BoundTemplate(template, values)

        def load(text: str = text) -> object:
            return yaml.load(text, Loader=yaml.CSafeLoader)

        def compile_all(text: str = text) -> object:
            return compile_template(parse(text, "bench.yaml"))

        def bind(template: Template = template, values: ParameterValues = values) -> object:
            return BoundTemplate(template, values)

        def resolve(bound: BoundTemplate = bound) -> object:
            return [bound.properties(name) for name in bound.resources]

        steps: dict[str, Callable[[], object]] = {
            "yaml.CSafeLoader": load,
            "parse and compile": compile_all,
            "bind to parameters": bind,
            "resolve all properties": resolve,
        }
        for step, action in steps.items():
            name = f"{step}, {resources:,} resources"
            baseline = baselines.get(step) or (
                "" if step == "yaml.CSafeLoader" else f"yaml.CSafeLoader, {resources:,} resources"
            )
            yield measure(name, resources, action, baseline=baseline)
            baselines[step] = name
