"""The functions of the template language, by subject."""
