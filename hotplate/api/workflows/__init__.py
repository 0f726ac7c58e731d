"""The workflow API, /v2, in the shapes that Mistral's clients know."""
