"""Whoever runs workflows for resources: this very engine, or a Mistral elsewhere."""
