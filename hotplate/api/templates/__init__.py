"""Templates and resource types: validated, listed, described."""
