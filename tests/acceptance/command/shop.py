"""A small stack with nesting for the tests of the command; everything takes a moment."""

from pathlib import Path

APP = """\
heat_template_version: wallaby
parameters:
  word: {type: string, default: one}
  image: {type: string, default: old}
  broken: {type: boolean, default: false}
  pace: {type: number, default: 0.3}
  secret: {type: string, default: hunter2, hidden: true}
resources:
  network: {type: OS::Heat::TestResource, properties: {wait_secs: {get_param: pace}}}
  web:
    type: OS::Heat::ResourceGroup
    depends_on: network
    properties:
      count: 2
      resource_def:
        type: server.yaml
        properties:
          image: {get_param: image}
          broken: {get_param: broken}
          pace: {get_param: pace}
  kept: {type: OS::Heat::RandomString, deletion_policy: Retain}
outputs:
  word: {value: {get_param: word}}
  map: {value: {a: [1, two]}}
"""
SERVER = """\
heat_template_version: wallaby
parameters:
  image: {type: string}
  broken: {type: boolean, default: false}
  pace: {type: number, default: 0}
resources:
  server:
    type: OS::Heat::TestResource
    properties:
      update_replace_value: {get_param: image}
      fail: {get_param: broken}
      wait_secs: {get_param: pace}
"""


def write_shop(folder: Path) -> None:
    """Put the templates into a folder."""
    (folder / "app.yaml").write_text(APP, encoding="utf-8")
    (folder / "server.yaml").write_text(SERVER, encoding="utf-8")
    (folder / "new.env.yaml").write_text("parameters:\n  image: new\n", encoding="utf-8")
    (folder / "two.env.yaml").write_text("parameters: {word: two, image: newer}\n", "utf-8")
    (folder / "many.list").write_text("# both\nnew.env.yaml\ntwo.env.yaml\n", encoding="utf-8")
