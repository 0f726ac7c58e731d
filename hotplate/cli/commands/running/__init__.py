"""Commands that run hotplate, care for its database and explain the command."""
