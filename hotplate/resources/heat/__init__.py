"""The types of the service itself."""
