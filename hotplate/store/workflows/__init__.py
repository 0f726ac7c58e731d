"""Tables and queries of workflows."""
