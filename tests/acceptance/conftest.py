"""Fixtures for tests with real parts."""

from tests.acceptance.workflow_lab import play

__all__ = ["play"]
