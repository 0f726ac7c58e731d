"""Commands that change a stack."""
