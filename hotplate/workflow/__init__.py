"""Workflows in the Mistral v2 language, and what runs them.

``model``, ``language``, ``expressions`` and ``machine`` are pure: time, ids and the outcome of
actions come in as arguments; rows to write and effects to perform come out. ``actions`` are what
tasks do in the world, ``engine`` runs workflows on the database, ``drivers`` offer workflows to
resource types, and ``running`` puts all of it together.
"""
