"""What can be said of a template by its text and the resource types, whatever its values."""
