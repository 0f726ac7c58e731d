"""The Mistral that tests are run against."""

from tests.mistral_server import Mistral, using_mistral

FLOW = """\
version: '2.0'
set_up_check:
  input: [word]
  output: {said: <% task(say).result %>}
  tasks:
    say: {action: std.echo output=<% $.word %>}
"""


def test_it_runs_workflows_and_is_shared(mistral: Mistral) -> None:
    assert mistral.define(FLOW) == ["set_up_check"]
    done = mistral.run("set_up_check", {"word": "hello"})
    assert (done["state"], done["output"]) == ("SUCCESS", {"said": "hello"})
    with using_mistral() as again:
        assert again == mistral
    assert mistral.request("GET", "/workflows/set_up_check")[0] == 200
