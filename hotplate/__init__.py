"""Hotplate: an orchestration engine for HOT templates that speaks Heat's REST API."""

__version__ = "0.1.0"
