"""Meetings that go wrong: backing out of deadlocks, and evading moving obstacles."""
