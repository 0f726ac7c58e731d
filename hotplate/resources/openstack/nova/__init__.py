"""Types of the compute service."""
