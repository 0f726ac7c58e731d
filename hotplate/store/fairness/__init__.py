"""Whose turn it is: a project that has used little lately goes before one that has used much."""
