"""How a command line is read: groups, commands with examples, completed arguments."""
