"""What the user named: files, addresses, environments, standard input."""
