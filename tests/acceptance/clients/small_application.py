"""A small stack with stacks inside, for the stories that real clients tell."""

INNER = """
heat_template_version: wallaby
parameters: {word: {type: string}}
resources:
  leaf: {type: OS::Heat::TestResource, properties: {value: {get_param: word}}}
outputs:
  said: {value: {get_attr: [leaf, output]}}
"""
TEMPLATE = """
heat_template_version: wallaby
description: a small application
parameters:
  word: {type: string, default: plain}
  size: {type: number, default: 2}
  secret: {type: string, default: hush, hidden: true}
  seconds: {type: number, default: 0}
  fail: {type: boolean, default: false}
resources:
  text:
    type: OS::Heat::TestResource
    metadata: {colour: blue}
    properties:
      value: {get_param: word}
      fail: {get_param: fail}
      action_wait_secs: {update: {get_param: seconds}}
  name:
    type: OS::Heat::RandomString
    depends_on: text
    properties: {length: 8}
  handle:
    type: OS::Heat::WaitConditionHandle
  group:
    type: OS::Heat::ResourceGroup
    properties:
      count: {get_param: size}
      resource_def: {type: inner.yaml, properties: {word: {get_param: word}}}
outputs:
  word: {description: what is said, value: {get_attr: [text, output]}}
  words: {value: {get_attr: [group, said]}}
  wrong: {value: {list_join: [",", {get_attr: [text, output]}]}}
"""
RESOURCES = ["text", "name", "handle", "group"]
TREE = [*RESOURCES, "0", "1", "leaf", "leaf"]
"""The names of all resources, as a list with every depth has them."""

TINY = """
heat_template_version: wallaby
resources:
  one: {type: OS::Heat::Value, properties: {value: 1}}
"""
