"""The workflow services of resources: this very engine, or a remote Mistral."""
