"""Who claims nodes, and how it is known who is alive."""
