"""Fixtures for tests with real parts."""

from tests.acceptance.workflows.workflow_lab import play

__all__ = ["play"]
