"""The same expressions give the same values as in the real Mistral."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hotplate.workflow.expressions import BadExpression, Expressions
from tests.mistral_server import Mistral
from tests.unit.workflow.expressions.test_expressions import Scene

FOLDER = Path(__file__).with_name("expressions_of_mistral")

DATA = {
    "number": 1,
    "real": 1.5,
    "list": [3, 1, 2],
    "maps": [{"n": 1, "k": "a"}, {"n": 2, "k": "b"}],
    "map": {"deep": {"key": "here"}, "two": 2},
    "text": "some words",
    "empty": [],
    "nothing": None,
    "yes": True,
    "__env": {"key": "from env"},
    "__execution": {"id": "1"},
    "__task_execution": {},
}

TEXTS = [
    "plain",
    "",
    5,
    None,
    True,
    [1, "<% $.number %>"],
    {"<% 1 %>": "<% $.text %>", "b": {"c": "{{ 1 }}"}},
    "a <% $.number %> b <% $.list %> c",
    "<% $.nothing %>!",
    "<% $.yes %>!",
    " <% 1 %>",
    "<% 1 %> ",
    "<% 1 %><% 2 %>",
    "{{ 1 }}{{ 2 }}",
    "a {{ _.number }} b {{ _.list }} c",
    "{{ _.nothing }}!",
    "{% for x in _.list %}{{ x }},{% endfor %}",
    "{% if _.yes %}{{ 1 }}{% else %}2{% endif %}",
    "{% set a = 5 %}{{ a + 1 }}",
    "{% raw %}{{ a }}{% endraw %}",
    "{# note #}{{ 1 }}",
    "{{ {'a': {'b': 1}} }}",
    "<% \n1 %>",
    "{{ \n1 }}",
    "{{ _.number }}<% 1 %>",
    "<%%>",
    "{{}}",
    "<% $.missing %> x",
    "{% macro m(x) %}[{{ x }}]{% endmacro %}{{ m(1) }}{{ m(2) }}",
    "a % > b",
    "{ { 1 } }",
    "<% '%' + '>' %>",
    "{% for x in _.list %}\n  {{ x }}\n{% endfor %}\nend",
    "{{ 'a\\nb' }}",
    "  {% if 1 %}  x{{ 1 }}{% endif %}",
]

# What is decided to be different, with the reason.
DIFFERENT = {
    # Ours says what the difference is: a value of no kind that JSON knows is refused at once,
    # where Mistral fails later, or never ends.
    "{{ _.list.append }}",
}

ASK = """
import json, sys, datetime
from mistral import config
from oslo_config import cfg
from mistral.services import workflows
from mistral import expressions
from oslo_serialization import jsonutils
config.parse_args([])
values, data = json.load(sys.stdin)
answers = []
for value in values:
    try:
        made = expressions.evaluate_recursively(value, json.loads(json.dumps(data)))
        answers.append([True, json.loads(jsonutils.dumps(made))])
    except Exception as error:
        answers.append([False, str(error)[:300]])
json.dump(answers, sys.stdout)
"""


def written(file: str, mark: str) -> list[str]:
    """Return the expressions of a file, with the marks of their language around them."""
    begin, end = mark.split("...")
    lines = (FOLDER / file).read_text(encoding="utf-8").splitlines()
    parts = [part.strip() for line in lines for part in line.split(";")]
    return [f"{begin} {part} {end}" for part in parts if part]


class Here(Scene):
    data = DATA


def test_values_are_the_same(mistral: Mistral) -> None:
    values: list[Any] = [
        *written("yaql.txt", "<%...%>"),
        *written("jinja.txt", "{{...}}"),
        *TEXTS,
    ]
    done = subprocess.run(
        [mistral.python, "-W", "ignore", "-c", ASK],
        input=json.dumps([values, DATA]),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = json.loads(done.stdout[done.stdout.index("[[") :])
    assert len(answers) == len(values) > 250
    wrong = []
    for value, (is_good, expected) in zip(values, answers, strict=True):
        try:
            ours = (True, Expressions().evaluate(value, Here()))
        except BadExpression as error:
            ours = (False, str(error))
        if str(value) not in DIFFERENT and ours != (is_good, expected if is_good else ours[1]):
            wrong.append(f"{value!r}: Mistral {(is_good, expected)}, ours {ours}")
    if wrong:
        pytest.fail("\n".join(wrong))
    # Most of them have a value: a comparison of failures would be no comparison.
    assert sum(is_good for is_good, _ in answers) > 0.8 * len(values)
