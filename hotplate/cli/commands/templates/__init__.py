"""Commands on templates and resource types."""
