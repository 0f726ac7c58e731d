"""Heat's v1 REST API, and what it has beyond Heat's."""
