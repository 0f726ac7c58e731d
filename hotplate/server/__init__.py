"""The API and the engine in one process that listens."""
