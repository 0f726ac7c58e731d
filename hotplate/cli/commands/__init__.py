"""One module for each command, named as the command is, in the sections of the help."""
