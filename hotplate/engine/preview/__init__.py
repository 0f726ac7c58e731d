"""What would happen, and why something is as it is: decided by the functions that do it."""
