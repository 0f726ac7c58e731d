"""Queries of stacks with very many resources, which are read and written in portions."""
