"""What a command says: text or JSON, exit codes, problems, refusals of the server."""
