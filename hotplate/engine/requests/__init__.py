"""What can be asked of the engine: operations and queries. Each change is one transaction."""
