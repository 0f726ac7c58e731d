"""Workflows in the Mistral v2 language: definitions, expressions and the machine that runs them.

Pure: time, ids and the outcome of actions come in as arguments; what is to be done comes out as
rows to write and effects to perform.
"""
