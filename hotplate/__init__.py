"""Hotplate: an orchestration engine for HOT templates that speaks Heat's REST API."""
