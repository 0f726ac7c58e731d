"""Events: listed, and as a stream."""
