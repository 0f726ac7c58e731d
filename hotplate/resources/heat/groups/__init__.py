"""Groups of resources, and what changes their size."""
