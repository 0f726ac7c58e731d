"""What operators, health checks and the sweep ask: what waits, and whether all is well."""
