"""Differences and their reasons: what each resource needs, decided without touching anything."""
