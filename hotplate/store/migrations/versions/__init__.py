"""One file for each step, named by its number: the newest file is the newest schema."""
