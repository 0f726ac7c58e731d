"""One tenant does its worst to a real server, another one measures what it notices of that."""
